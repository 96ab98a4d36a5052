"""`PYTHON -s .../python ROLE`, started by assay with a Unix stream socket as descriptor 3."""

import gc
import sys


def main() -> int:
    """Runs the role named on the command line; returns the exit status."""
    # What is imported stays, and to look for garbage in it takes a fifth of the time that torch
    # takes to import. What serves enables it again.
    gc.disable()
    # Imported per role: `describe` answers in milliseconds because it never loads torch, and what
    # runs a candidate never loads the exporter.
    match sys.argv[1:]:
        case ["describe"]:
            from assay_worker import describe

            describe.run()
            return 0
        case ["export"]:
            from assay_worker import export_image, zygote

            zygote.run(export_image.IMAGE)
        case ["oracle"]:
            from assay_worker import oracle, zygote

            zygote.run(oracle.IMAGE)
        case ["candidate"]:
            from assay_worker import candidate, zygote

            zygote.run(candidate.IMAGE)
        case ["cuda"]:
            from assay_worker import cuda_image, zygote

            zygote.run(cuda_image.IMAGE)
        case ["inductor"]:
            from assay_worker import inductor, zygote

            zygote.run(inductor.IMAGE)
        case ["iree"]:
            from assay_worker import iree_runner

            return iree_runner.run()
        case arguments:
            print(
                f"assay_worker: {arguments} names no role; assay starts this with 'describe', "
                "'export', 'oracle', 'candidate', 'cuda', 'inductor' or 'iree', and a socket "
                "as descriptor 3",
                file=sys.stderr,
            )
            return 2
