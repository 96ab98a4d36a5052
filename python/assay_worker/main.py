"""`PYTHON -s .../python ROLE`, started by assay with a Unix stream socket as descriptor 3."""

import sys


def main() -> int:
    """Runs the role named on the command line; returns the exit status."""
    # Imported per role: `describe` answers in milliseconds because it never loads torch.
    match sys.argv[1:]:
        case ["describe"]:
            from assay_worker import describe

            describe.run()
            return 0
        case ["export"]:
            from assay_worker import zygote

            zygote.run()
            return 0
        case arguments:
            print(
                f"assay_worker: {arguments} names no role; assay starts this with "
                "'describe' or 'export' and a socket as descriptor 3",
                file=sys.stderr,
            )
            return 2
