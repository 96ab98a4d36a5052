"""The table for users of IREE's dispatch profiler."""

import subprocess
import sys

from manual_table import Table, check


def complete(words: list[str]) -> list[str]:
    return [*words, "--quiet"] if words[1] == "run" and "--dry-run" not in words else words


def report(format: str) -> str:
    return subprocess.run(["assay", "report", "RUN", "--format", format], check=True, capture_output=True, text=True).stdout


columns = {"the CSV": report("profiler").splitlines()[0], "the block": report("profiler-text")}
check(Table("profiler", {}, complete, columns=columns), sys.argv[1])
