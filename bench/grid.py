#!/usr/bin/env python3
"""Measures assay on grids of problems and targets, beside bench/sequential.py, which does the same
without it, and writes bench/results/grid.json.

Usage: ASSAY_PYTHON=.venv/bin/python3 bench/grid.py BUILD_FOLDER [PART...]

Parts: `targets1` and `targets6` (100 problems with small inputs, phases kept, both ways in turn),
`memory` (problems whose tensors take 8 GB), `again` (500 attempts, unchanged). Without one, all. A
part that was not asked for keeps its figures. Never part of a test: machines are noisy.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import result_file
import small_problems

HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "grid.json"
SIX = ["local", "cascadelake", "arm_cortex_a72", "a100", "mi300x", "vulkan"]
CORES = os.cpu_count() or 1
# The opponent is ended when it has taken this much of the machine.
GIVE_UP_BYTES = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.8)


@dataclass
class Cost:
    """One run of a command, with all that it started."""

    wall_s: float
    cpu_s: float
    output: str
    ended_for_memory: bool = False
    peak_pss_bytes: int = 0


def run(command: list[str], environment: dict[str, str], watch_memory: bool = False) -> Cost:
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        peak, ended = 0, False
        while watch_memory and process.poll() is None:
            now = tree_pss_bytes(process.pid)
            peak = max(peak, now)
            if now > GIVE_UP_BYTES:
                os.killpg(process.pid, signal.SIGKILL)
                ended = True
            time.sleep(0.1)
        if watch_memory:
            process.wait()
            return Cost(time.perf_counter() - begin, 0, read(output), ended, peak)
        # The usage of a process that was waited for includes that of all it waited for itself.
        _, _, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begin
        return Cost(wall_s, usage.ru_utime + usage.ru_stime, read(output))


def read(output: object) -> str:
    output.seek(0)  # type: ignore[attr-defined]
    return str(output.read())  # type: ignore[attr-defined]


def tree_pss_bytes(root: int) -> int:
    """Memory of a process and all below it, with shared pages counted in parts: what they take."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            parents[int(entry)] = int(stat.rsplit(")", 1)[1].split()[1])
    below = {root}
    grown = True
    while grown:
        more = {child for child, parent in parents.items() if parent in below} - below
        below |= more
        grown = bool(more)
    total = 0
    for process in below:
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        for line in rollup.splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


class Bench:
    def __init__(self, build: Path, python: str, folder: Path) -> None:
        self.assay = str(build / "bin/assay")
        self.python = python
        self.folder = folder
        self.runs = 0

    def ours(
        self, suite: Path, targets: list[str], *options: str, cache: str = "", watch: bool = False
    ) -> Cost:
        """One run into a new folder; with a cache of its own unless one is named."""
        self.runs += 1
        environment = dict(
            os.environ,
            ASSAY_PYTHON=self.python,
            ASSAY_CACHE=str(self.folder / (cache or f"cache{self.runs}")),
        )
        out = str(self.folder / f"run{self.runs}")
        command = [
            self.assay,
            "run",
            str(suite),
            "--on",
            ",".join(targets),
            "--until",
            "compile",
            "--out",
            out,
            "--quiet",
        ]
        cost = run([*command, *options], environment, watch)
        report = json.loads((Path(out) / "report.json").read_text())
        summary = report["summary"]["all"]
        cost.output = f"{summary['compiled']} of {summary['total']} compiled"
        return cost

    def theirs(self, suite: Path, targets: list[str], watch: bool = False) -> Cost:
        self.runs += 1
        tool = subprocess.run(
            [self.python, "-I", "-c", "import shutil, sys; print(sys.prefix)"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        flags = {name: self.flags(name) for name in targets}
        command = [self.python, str(HERE / "sequential.py"), f"{tool}/bin/iree-compile"]
        command += [str(self.folder / f"run{self.runs}"), json.dumps(flags)]
        cost = run([*command, *map(str, sorted(suite.glob("*.py")))], dict(os.environ), watch)
        cost.output = (cost.output.strip().splitlines() or ["nothing was printed"])[-1]
        return cost

    def flags(self, target: str) -> list[str]:
        """What `assay list targets NAME` says, less what only assay adds."""
        listed = subprocess.run(
            [self.assay, "list", "targets", target], check=True, capture_output=True, text=True
        ).stdout
        flags = [line.strip() for line in listed.splitlines() if line.strip().startswith("--")]
        return [flag for flag in flags if not flag.startswith("--iree-opt-level")]


def grid(bench: Bench, problems: int, targets: list[str], rounds: int) -> dict[str, Any]:
    suite = bench.folder / f"suite{len(targets)}"
    small_problems.write(suite, problems)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(bench.ours(suite, targets, "--phases", "--jobs", str(CORES)))
        theirs.append(bench.theirs(suite, targets))
    best = min(ours, key=lambda cost: cost.wall_s)
    return {
        "problems": problems,
        "targets": targets,
        "rounds": rounds,
        "assay_wall_s": [round(cost.wall_s, 2) for cost in ours],
        "assay_cpu_s": [round(cost.cpu_s, 2) for cost in ours],
        "sequential_wall_s": [round(cost.wall_s, 2) for cost in theirs],
        "sequential_cpu_s": [round(cost.cpu_s, 2) for cost in theirs],
        "ratios": [round(t.wall_s / o.wall_s, 2) for o, t in zip(ours, theirs, strict=True)],
        "ratio": round(min(theirs, key=lambda c: c.wall_s).wall_s / best.wall_s, 2),
        "wall_over_cpu_share": round(best.wall_s / (best.cpu_s / CORES), 3),
        "assay": ours[0].output,
        "sequential": theirs[0].output,
    }


LARGE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.{function}(x{more})


def get_inputs():
    return [torch.rand({rows}, 1048576)]


def get_init_inputs():
    return []
"""


def memory(bench: Bench) -> dict[str, Any]:
    """Each problem's input is 8 GB."""
    suite = bench.folder / "large"
    suite.mkdir()
    kinds = [
        ("relu", ""),
        ("sum", ", 1"),
        ("tanh", ""),
        ("amax", ", 1"),
        ("sigmoid", ""),
        ("abs", ""),
    ]
    for function, more in kinds:
        text = LARGE.format(function=function, more=more, rows=2048)
        (suite / f"{function}.py").write_text(text)
    ours = bench.ours(suite, ["local"], "--jobs", "2", watch=True)
    theirs = bench.theirs(suite, ["local"], watch=True)
    return {
        "problems": len(kinds),
        "input_bytes": 2048 * 1048576 * 4,
        "assay_peak_pss_bytes": ours.peak_pss_bytes,
        "sequential_peak_pss_bytes": theirs.peak_pss_bytes,
        "sequential_ended_for_memory": theirs.ended_for_memory,
        "assay": ours.output,
        "sequential": theirs.output,
    }


def again(bench: Bench) -> dict[str, Any]:
    """The same command twice in one folder, and once in another with the cache that it filled."""
    suite = bench.folder / "again"
    small_problems.write(suite, 250)
    environment = dict(
        os.environ, ASSAY_PYTHON=bench.python, ASSAY_CACHE=str(bench.folder / "again.cache")
    )

    def once(out: str) -> Cost:
        command = [bench.assay, "run", str(suite), "--on", "vmvx,local", "--until", "compile"]
        command += ["--quiet", "--out"]
        return run([*command, str(bench.folder / out)], environment)

    first = once("again.run")
    unchanged = [once("again.run").wall_s for _ in range(5)]
    cached = [once(f"again.run{number}").wall_s for number in range(3)]
    return {
        "attempts": 500,
        "first_s": round(first.wall_s, 2),
        "unchanged_s": round(min(unchanged), 3),
        "from_cache_s": round(min(cached), 3),
    }


def quoted(part: str, figures: dict[str, Any]) -> dict[str, float]:
    """What documents quote, under names of its own."""
    if part == "memory":
        return {
            "memory_peak_mib": round(figures["assay_peak_pss_bytes"] / 2**20),
            "memory_sequential_peak_gib": round(figures["sequential_peak_pss_bytes"] / 2**30, 1),
        }
    if part == "again":
        return {"again_s": figures["unchanged_s"], "from_cache_s": figures["from_cache_s"]}
    return {
        f"{part}_ratio": figures["ratio"],
        f"{part}_wall_s": min(figures["assay_wall_s"]),
        f"{part}_sequential_wall_s": min(figures["sequential_wall_s"]),
        f"{part}_wall_over_cpu_share": figures["wall_over_cpu_share"],
    }


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    parts = sys.argv[2:] or ["targets1", "targets6", "memory", "again"]
    python = os.environ["ASSAY_PYTHON"]
    result = json.loads(RESULT.read_text()) if RESULT.exists() else {"figures": {}, "parts": {}}
    for part in parts:
        folder = Path(tempfile.mkdtemp(prefix="assay-bench-"))
        bench = Bench(Path(sys.argv[1]).resolve(), os.path.abspath(python), folder)
        try:
            if part == "targets1":
                figures = grid(bench, 100, ["local"], 2)
            elif part == "targets6":
                figures = grid(bench, 100, SIX, 1)
            elif part == "memory":
                figures = memory(bench)
            elif part == "again":
                figures = again(bench)
            else:
                print(f"there is no part {part!r}\n\n{__doc__}")
                return 2
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        result["parts"][part] = figures
        result["figures"].update(quoted(part, figures))
        result["machine"] = result_file.machine()
        print(json.dumps({part: figures}, indent=1), flush=True)
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
