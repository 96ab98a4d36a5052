"""`PYTHON -s .../python ROLE`, started by assay with a Unix stream socket as descriptor 3."""

import gc
import sys
from importlib import import_module

# Imported per role: what runs a candidate never loads the exporter.
_IMAGES = {
    "export": "export_image",
    "oracle": "oracle",
    "candidate": "candidate",
    "cuda": "cuda_image",
    "inductor": "inductor",
    "suite": "suite_tests",
    "suite_compile": "suite_compile",
}


def main() -> int:
    """Runs the role named on the command line; returns the exit status."""
    # What is imported stays, and to look for garbage in it takes a fifth of the time that torch
    # takes to import. What serves enables it again.
    gc.disable()
    role = sys.argv[1] if len(sys.argv) == 2 else ""
    if role == "describe":  # answers in milliseconds because it never loads torch
        import_module("assay_worker.describe").run()
        return 0
    if role == "iree":
        return int(import_module("assay_worker.iree_runner").run())
    if role not in _IMAGES:
        print(
            f"assay_worker: {sys.argv[1:]} names no role; assay starts this with 'describe', "
            "'export', 'oracle', 'candidate', 'cuda', 'inductor', 'suite', 'suite_compile' or "
            "'iree', and a socket as descriptor 3",
            file=sys.stderr,
        )
        return 2
    import_module("assay_worker.hidden_cards")  # before anything asks for one
    zygote = import_module("assay_worker.zygote")
    zygote.run(import_module(f"assay_worker.{_IMAGES[role]}").IMAGE)
    raise AssertionError("a zygote never returns")
