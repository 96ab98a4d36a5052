#!/usr/bin/env python3
"""A model that takes two seconds over each answer: bench/write.py gives it to `assay write`.

Usage: bench/write_model.py FOLDER, with the prompt on standard input. The answers are files of that
folder, NAME_ATTEMPT_SAMPLE.md, by the question's name in $ASSAY_NODE.
"""

import os
import re
import sys
import time
from pathlib import Path

SECONDS = 2.0


def file_of(node: str) -> str:
    """ "suite/level/target/NAME step of [...] attempt 1 sample 2"."""
    problem, _, rest = node.partition(" ")
    attempt, sample = re.findall(r"attempt (\d+) sample (\d+)$", rest)[0]
    return f"{problem.rsplit('/', 1)[1]}_{attempt}_{sample}.md"


def main() -> None:
    sys.stdin.read()
    time.sleep(SECONDS)
    sys.stdout.write((Path(sys.argv[1]) / file_of(os.environ["ASSAY_NODE"])).read_text())


if __name__ == "__main__":
    main()
