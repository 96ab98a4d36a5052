"""The C extension that forks, and does what else needs C; built from src/sandbox."""

def serve(descriptor: int, image: str) -> int:
    """Serves fork requests arriving on `descriptor`; returns only in a worker, its job socket."""

def await_window(address: int, seen: int) -> int:
    """Waits, without the GIL, until the shared 32-bit word is another than `seen`; returns it."""

def end_window(address: int, number: int) -> None:
    """Stores the number in the shared 32-bit word, and wakes who waits for it."""

def perturb_memory(byte: int) -> None:
    """From now on fresh memory is filled with the byte, 1 to 254, freed with its complement."""
