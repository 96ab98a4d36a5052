#!/usr/bin/env python3
"""Measures how long reports of a large run take, and writes bench/results/report.json.

Usage: bench/report.py BUILD_FOLDER [ATTEMPTS]

A store with ATTEMPTS (100000) synthetic attempts is made (bench/fill_store.cc), then each command
is run once for the caches and five times for the figures, medians in seconds: `_s` is what a clock
says, `_cpu_s` what the process took, which other work on the machine changes less. The output goes
to a file.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import result_file

ROUNDS = 5
FORMATS = ("terminal", "md", "csv", "junit", "classic", "jsonl", "json")


def seconds(command: list[str], output: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one run of `command`, which writes to `output`."""
    with output.open("wb") as file:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=file)
        wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def measure(name: str, command: list[str], output: Path) -> dict[str, float]:
    times = [seconds(command, output) for _ in range(ROUNDS + 1)][1:]
    return {
        f"{name}_s": statistics.median(wall for wall, _ in times),
        f"{name}_cpu_s": statistics.median(cpu for _, cpu in times),
    }


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    build = Path(sys.argv[1]).resolve()
    attempts = int(sys.argv[2]) if len(sys.argv) == 3 else 100_000
    assay = str(build / "bin/assay")
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        run, output = f"{folder}/run", Path(folder, "output")
        subprocess.run([str(build / "bin/fill_store"), run, str(attempts)], check=True)
        for name in FORMATS:
            command = [assay, "report", run, "--format", name]
            if name == "classic":  # of several files
                command += ["--to", f"{folder}/classic/"]
            figures |= measure(f"report_{name}", command, output)
        figures |= measure("compare", [assay, "compare", run, run], output)
        figures |= measure("show", [assay, "show", run], output)
    # The largest of the children, which all read the same attempts.
    peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    figures["report_peak_mib"] = peak_kib / 1024
    result_file.write("report", figures, attempts=attempts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
