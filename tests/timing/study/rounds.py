"""A round: one run of assay that judges some candidates against one baseline."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from study.cells import Cell
from study.disturbances import (
    BASELINE_MARK,
    NotHere,
    Run,
    disturbance,
    needs,
    tells_sides_apart,
)
from study.journal import Comparison

PROBLEM = "product"


class CouldNotWork(Exception):
    """assay, or a tool, did not do what it is asked for; one line."""


def seed_of(seed: int, cell: Cell, number: int, candidate: int) -> str:
    """Of a variant; candidate 0 is the baseline. Side by side, others are given the same ones."""
    return f"{seed}/{cell.name}/{number}/{candidate}"


def sides(cell: Cell, number: int) -> tuple[int, int]:
    """Percent of work that the candidate, and the baseline, do more."""
    return (0, cell.percent) if cell.expected(number) == "faster" else (cell.percent, 0)


def numbered(name: str, candidate: int, language: str) -> str:
    return f"{name}.{language}" if candidate == 1 else f"{name}__s{candidate}.{language}"


def lay_out(folder: Path, cell: Cell, number: int, candidates: int, seed: int) -> list[str]:
    """Writes what is to be judged; returns assay's arguments that name it."""
    kind = cell.kind
    if kind.author == "iree":  # a problem of its own for each: IREE has one candidate for each
        problems = folder / "problems"
        problems.mkdir(parents=True)
        for n in range(1, candidates + 1):
            text = kind.variant(seed_of(seed, cell, number, n)).text
            (problems / f"{PROBLEM}_{n}.py").write_text(text)
        return [str(problems), "--by", "iree", "--against", "iree"]
    candidate_percent, baseline_percent = sides(cell, number)
    mine, baseline = folder / "candidates", folder / "baseline"
    for each in (mine, baseline):
        each.mkdir(parents=True)
    problem = folder / f"{PROBLEM}.py"
    shutil.copy(kind.problem, problem)
    for n in range(1, candidates + 1):
        variant = kind.variant(seed_of(seed, cell, number, n), candidate_percent)
        (mine / numbered(PROBLEM, n, kind.language)).write_text(variant.text)
    text = kind.variant(seed_of(seed, cell, number, 0), baseline_percent).text
    if tells_sides_apart(cell.disturbance):
        text += f'const char side_of_study[] = "{BASELINE_MARK}";\n'
    (baseline / f"{PROBLEM}.{kind.language}").write_text(text)
    return [str(problem), "--by", f"file:{mine}", "--against", f"file:{baseline}"]


def run_assay(
    assay: str, arguments: list[str], out: Path, disturbed_by: str = "", expected_s: float = 0
) -> list[dict[str, Any]]:
    """Attempts of the report. Raises CouldNotWork."""
    command = [assay, "run", *arguments, "--on", "local", "--quiet", "--out", str(out)]
    environment = {**os.environ, "ASSAY_CACHE": str(out.parent.parent / "cache")}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        with disturbance(disturbed_by, Run(assay, process.pid, out, expected_s)):
            status = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    report = out / "report.json"
    if status < 0 or not report.exists():
        raise CouldNotWork(f"{' '.join(command)} ended with {status}")
    attempts: list[dict[str, Any]] = json.loads(report.read_text())["attempts"]
    return attempts


def hold_round(
    assay: str, folder: Path, cell: Cell, number: int, candidates: int, seed: int, quick: bool
) -> list[Comparison]:
    """Raises CouldNotWork and NotHere. What an interrupted one left there is forgotten."""
    shutil.rmtree(folder, ignore_errors=True)
    arguments = lay_out(folder, cell, number, candidates, seed)
    if cell.kind.budget and not quick:
        arguments += ["--budget", cell.kind.budget]
    begin = time.monotonic()
    attempts = run_assay(
        assay,
        arguments + (["--quick"] if quick else []),
        folder / "run",
        cell.disturbance,
        candidates * cell.kind.seconds,
    )
    seconds = (time.monotonic() - begin) / candidates
    if len(attempts) != candidates:
        raise CouldNotWork(f"{folder}/run has {len(attempts)} attempts of {candidates}")
    shutil.rmtree(folder)
    if level := needs(cell.disturbance):
        for attempt in attempts:
            if attempt["isolation"] != level:
                raise NotHere(f"it needs jails of level {level}, and had {attempt['isolation']}")
    return [
        comparison_of(cell, number, n, attempt, seconds)
        for n, attempt in enumerate(sorted(attempts, key=candidate_of), 1)
    ]


def candidate_of(attempt: dict[str, Any]) -> tuple[int, str]:
    return attempt["candidate"], attempt["workload"]


def first_of(attempt: dict[str, Any]) -> dict[str, Any]:
    """What the first measurement of a winner of several came to; empty: there was no second.

    That is what counts in a study: one that is faster is measured again, and a comparison by itself
    has nothing but the first, and is believed.
    """
    for stage in attempt["stages"]:
        if stage["stage"] == "judge" and (first := (stage["evidence"] or {}).get("first")):
            return dict(first[0])
    return {}


def comparison_of(
    cell: Cell, number: int, candidate: int, attempt: dict[str, Any], seconds: float
) -> Comparison:
    comparison = Comparison(
        cell.name,
        cell.kind.fingerprint,
        number,
        candidate,
        cell.expected(number),
        outcome="",
        reason=attempt["error"] or attempt["verdict"],
        ratio=None,
        low=None,
        high=None,
        launches=None,
        seconds=round(seconds, 2),
    )
    if attempt["timing"] is None or not attempt["timing"]["speedups"]:
        return comparison
    evidence = {stage["stage"]: stage["evidence"] for stage in attempt["stages"]}
    speedup, measured = attempt["timing"]["speedups"][0], evidence["measure"]
    if first := first_of(attempt):
        speedup, measured = first | {"reason": None}, measured["first"]
    comparison.outcome, comparison.reason = speedup["outcome"], speedup["reason"] or ""
    comparison.ratio, comparison.low, comparison.high = (
        round(speedup[key], 5) for key in ("ratio", "low", "high")
    )
    comparison.launches = measured["measured"]["launches"]
    return comparison
