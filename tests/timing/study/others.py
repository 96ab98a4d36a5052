"""What other tools say of the same kernels in the same time.

Each comparison is a fresh process. A rule is how people read what a tool prints; the candidate is
`faster` where the ratio of times lies above a threshold, and the study has several of these.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from study.cells import Cell
from study.kinds import ROOT
from study.loops import compile_native
from study.rounds import CouldNotWork, seed_of, sides

THRESHOLDS = (1.00, 1.01, 1.02, 1.05)
SHOWN = 1.02  # in the table
SIGNIFICANT = 0.05  # what google-benchmark's compare.py colours by
REPETITIONS = 10  # it asks for nine at least
# Of google-benchmark's time, for what comes before a repetition counts.
SPENT_MEASURING = 0.9
TOOLS = ("mean_of_100", "do_bench", "google_benchmark")
START_SECONDS = 2  # of a tool's process, about


# --- what a tool's process printed: [baseline, candidate] of each repetition ---

Pairs = list[tuple[float, float]]


def once(pairs: Pairs) -> float:
    return pairs[0][0] / pairs[0][1]


def mean(pairs: Pairs) -> float:
    return statistics.fmean(b for b, _ in pairs) / statistics.fmean(c for _, c in pairs)


def median(pairs: Pairs) -> float:
    return statistics.median(b for b, _ in pairs) / statistics.median(c for _, c in pairs)


def u_test(pairs: Pairs) -> float:
    """The ratio of medians, and 1 where compare.py would call the difference insignificant."""
    p = mann_whitney([b for b, _ in pairs], [c for _, c in pairs])
    return median(pairs) if p < SIGNIFICANT else 1.0


def mann_whitney(one: list[float], other: list[float]) -> float:
    """The two-sided p of the U test, by the normal approximation that scipy takes from 9 on."""
    both = sorted([*one, *other])
    count = len(both)
    ranks = {value: both.index(value) + (both.count(value) + 1) / 2 for value in set(both)}
    u = sum(ranks[value] for value in one) - len(one) * (len(one) + 1) / 2
    ties = sum(both.count(value) ** 3 - both.count(value) for value in set(both))
    variance = len(one) * len(other) / 12 * (count + 1 - ties / (count * (count - 1)))
    if variance == 0:
        return 1.0
    off = max(0.0, abs(u - len(one) * len(other) / 2) - 0.5)
    return math.erfc(off / math.sqrt(2 * variance))


# What people do: its tool, the clock's place among what it prints, and how it is read.
RULES: dict[str, tuple[str, str, Callable[[Pairs], float]]] = {
    "mean of 100 calls after 3, once": ("mean_of_100", "wall", once),
    "mean of 100 calls after 3, again and again": ("mean_of_100", "wall", mean),
    "do_bench, once": ("do_bench", "wall", once),
    "do_bench, the median of many": ("do_bench", "wall", median),
    "google-benchmark, medians of 10": ("google_benchmark", "wall", median),
    "google-benchmark, medians of 10, CPU time": ("google_benchmark", "cpu", median),
    "google-benchmark, compare.py's U test": ("google_benchmark", "wall", u_test),
    "google-benchmark, compare.py's U test, CPU time": ("google_benchmark", "cpu", u_test),
}


def says_faster(rule: str, rows: list[dict[str, Any]], threshold: float) -> int:
    """Of comparisons as the journal has them, how many this rule calls faster."""
    _, clock, read = RULES[rule]
    return sum(read([(b, c) for b, c in row[clock]]) > threshold for row in rows)


# --- running them ---


class Tools:
    """The programs, and the folder in which what they need is built."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.google_benchmark = folder / "google_benchmark"
        source = ROOT / "tools" / "google_benchmark.cc"
        include = ROOT.parents[1] / "include"
        command = ["g++", "-O2", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{include}"]
        command += [str(source), "-o", str(self.google_benchmark)]
        run([*command, "-lbenchmark", "-lpthread", "-ldl"])

    def compare(self, tool: str, cell: Cell, pair: int, seed: int, seconds: float) -> Any:
        """A row for the journal. The pair is one that assay has been given in that cell."""
        number, candidate = pair_of(cell, pair)
        more, baseline_more = sides(cell, number)
        libraries = []
        for name, n, percent in (("baseline", 0, baseline_more), ("candidate", candidate, more)):
            variant = cell.kind.variant(seed_of(seed, cell, number, n), percent)
            libraries.append(str(compile_native(cell.kind, variant, self.folder, name)))
        read = self.with_google_benchmark if tool == "google_benchmark" else self.with_loops
        return {
            "kind": "other",
            "tool": tool,
            "cell": cell.name,
            "made_of": cell.kind.fingerprint,
            "pair": pair,
            **read(tool, libraries, cell, seconds),
        }

    def with_loops(
        self, tool: str, libraries: list[str], cell: Cell, seconds: float
    ) -> dict[str, Any]:
        script = str(ROOT / "tools" / "loops.py")
        python = os.environ.get("ASSAY_PYTHON", str(ROOT.parents[1] / ".venv/bin/python3"))
        command = [python, script, tool, *libraries, str(cell.kind.problem), str(seconds)]
        return {"wall": json.loads(run(command))}

    def with_google_benchmark(
        self, _: str, libraries: list[str], cell: Cell, seconds: float
    ) -> dict[str, Any]:
        sizes = [str(size) for size in cell.kind.sizes]
        one = seconds * SPENT_MEASURING / (2 * REPETITIONS)
        command = [str(self.google_benchmark), *libraries, *sizes]
        command += [f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_min_time={one:.4f}"]
        rows = json.loads(run([*command, "--benchmark_format=json"]))["benchmarks"]
        found: dict[str, Any] = {}
        for clock, key in (("wall", "real_time"), ("cpu", "cpu_time")):
            times: dict[str, list[float]] = {"baseline": [], "candidate": []}
            for row in rows:
                if row["run_type"] == "iteration":
                    times[row["run_name"]].append(row[key])
            found[clock] = list(zip(times["baseline"], times["candidate"], strict=True))
        return found


def pair_of(cell: Cell, pair: int) -> tuple[int, int]:
    """Round and candidate; where they differ of odd rounds, in which the candidate is faster."""
    number, n = divmod(pair, cell.per_round)
    return (2 * number + 1 if cell.percent else number), n + 1


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise CouldNotWork(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout
