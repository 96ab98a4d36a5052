#!/usr/bin/env python3
"""Measures what assay itself costs, beside what is done without it, and writes bench/results/.

Usage: ASSAY_PYTHON=.venv/bin/python3 bench/run.py BUILD_FOLDER

Each figure is a median in milliseconds; the opponent runs in turn with assay, so that a ratio holds
while the machine's speed drifts. Never part of a test: machines are noisy.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import result_file

HERE = Path(__file__).resolve().parent
DEVNULL = subprocess.DEVNULL


def wall_ms(command: list[str], environment: dict[str, str] | None = None) -> float:
    """Wall time of one run of `command`, from start to end, in milliseconds."""
    begin = time.perf_counter()
    subprocess.run(command, check=False, stdout=DEVNULL, stderr=DEVNULL, env=environment)
    return (time.perf_counter() - begin) * 1e3


def in_turn(runs: int, *commands: list[str]) -> list[float]:
    """Medians of `commands`, run A B A B ... after one round that is not counted."""
    times: list[list[float]] = [[] for _ in commands]
    for round_number in range(runs + 1):
        for index, command in enumerate(commands):
            elapsed = wall_ms(command)
            if round_number > 0:
                times[index].append(elapsed)
    return [statistics.median(each) for each in times]


def spawn_figures(build: Path) -> dict[str, float]:
    """Medians of bench/spawn_bench.cc by name."""
    command = [str(build / "bin/spawn_bench"), "--benchmark_format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = json.loads(output)["benchmarks"]
    return {
        row["run_name"].split("/")[0]: row["real_time"]
        for row in rows
        if row.get("aggregate_name") == "median"
    }


def bookkeeping_ms(assay: Path, build: Path, attempts: int) -> float:
    """Planning, protocol, files and commit per attempt: fakes export and compile at once.

    A run of many problems less a run of one, divided by the difference, one child at a time.
    """
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        suite.mkdir()
        for index in range(attempts):
            (suite / f"p{index}.py").write_text(f"problem {index}")
        environment = dict(os.environ, ASSAY_PYTHON=str(build / "tests/fake_python"))

        def run(path: Path, name: str) -> float:
            environment["ASSAY_CACHE"] = f"{folder}/{name}.cache"
            command = [str(assay), "run", str(path), "--until", "compile"]
            command += ["--jobs", "1", "--out", f"{folder}/{name}"]
            return wall_ms(command, environment)

        differences = [
            (run(suite, f"all{round_number}") - run(suite / "p0.py", f"one{round_number}"))
            / (attempts - 1)
            for round_number in range(5)
        ]
        return statistics.median(differences)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    build = Path(sys.argv[1]).resolve()
    assay = build / "bin/assay"
    python = os.environ["ASSAY_PYTHON"]
    fresh = "import torch, iree.turbine.aot"

    help_ms, python_ms = in_turn(100, [str(assay), "--help"], [python, "-I", "-c", "pass"])
    spawn = spawn_figures(build)
    (import_ms,) = in_turn(5, [python, "-I", "-c", fresh])
    books_ms = bookkeeping_ms(assay, build, 100)
    figures = {
        "help_ms": help_ms,
        "python_start_ms": python_ms,
        "ready_ms": max(spawn["export_ready"], spawn["compile_ready"]),
        "export_ready_ms": spawn["export_ready"],
        "compile_ready_ms": spawn["compile_ready"],
        "export_empty_job_ms": spawn["export_empty_job"],
        "compile_empty_job_ms": spawn["compile_empty_job"],
        "bookkeeping_ms": books_ms,
        # All that is not export or compile: a worker of each image that does nothing, the books.
        # The books' fakes fork too, so this counts two forks of small processes twice.
        "overhead_ms": spawn["export_empty_job"] + spawn["compile_empty_job"] + books_ms,
        "fresh_import_ms": import_ms,
        "fresh_import_over_ready": import_ms / spawn["export_ready"],
    }
    result_file.write("spawn", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
