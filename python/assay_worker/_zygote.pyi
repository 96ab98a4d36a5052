"""The C extension that forks; built from src/sandbox."""

def serve(descriptor: int, image: str) -> int:
    """Serves fork requests arriving on `descriptor`; returns only in a worker, its job socket."""
