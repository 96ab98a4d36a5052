"""`PYTHON -s .../python ROLE [PACKAGE...]`, started by assay with a socket as descriptor 3.

Packages are what the problems of such an image import: packages.py.
"""

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
    "xla": "xla_image",
    "suite": "suite_tests",
    "suite_compile": "suite_compile",
}
_WITHOUT_TORCH = {"iree": "iree_image"}
# Of whoever starts a process for one job: a profiler. No zygote, and no fork.
_ALONE = {"cuda_alone": "cuda_image"}


def main() -> int:
    """Runs the role named on the command line; returns the exit status."""
    # What is imported stays, and to look for garbage in it takes a fifth of the time that torch
    # takes to import. What serves enables it again.
    gc.disable()
    role, *packages = sys.argv[1:] or [""]
    if role == "describe":  # answers in milliseconds because it never loads torch
        import_module("assay_worker.describe").run()
        return 0
    if role == "iree_vulkan":
        return int(import_module("assay_worker.iree_runner").run())
    if role not in _IMAGES | _WITHOUT_TORCH | _ALONE:
        print(
            f"assay_worker: {sys.argv[1:]} names no role; assay starts this with 'describe', "
            "'export', 'oracle', 'candidate', 'cuda', 'inductor', 'xla', 'suite', "
            "'suite_compile', 'iree', 'iree_vulkan' or 'cuda_alone', and a socket as descriptor 3",
            file=sys.stderr,
        )
        return 2
    if role in _IMAGES | _ALONE:
        import_module("assay_worker.hidden_cards")  # before anything asks for one
        import_module("assay_worker.torch_worker")
    zygote = import_module("assay_worker.zygote")
    if role in _ALONE:
        gc.enable()
        image = import_module(f"assay_worker.{_ALONE[role]}").IMAGE
        zygote.work(image, import_module("assay_worker.protocol").SOCKET_DESCRIPTOR)
    zygote.run(import_module(f"assay_worker.{(_IMAGES | _WITHOUT_TORCH)[role]}").IMAGE, packages)
    raise AssertionError("a zygote never returns")
