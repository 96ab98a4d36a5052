#!/usr/bin/env python3
"""Does a guided search find more than a random one, and is nothing found where there is nothing?

    bench/tune.py record BUILD      tries a whole space for each of ten operations: an hour
    bench/tune.py replay            searches these tables 20 times each, by chance and guided
    bench/tune.py same BUILD [N]    tunes configurations of the same code N times (40)

Tables and figures are kept in bench/results/tune.json, with the machine that times are of. `replay`
needs optuna.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import result_file

HERE = Path(__file__).resolve().parent
RESULTS = result_file.RESULTS / "tune.json"
sys.path.insert(0, str(HERE.parent / "python"))
SEARCHES = 20
CLOSE = 1.02  # of the best: found
BATCH = 8  # so many are asked for at once: kBatch of src/tune/tune_feed.cc

OPERATIONS = [
    "op:matmul[m=64,n=64,k=64]",
    "op:matmul[m=128,n=128,k=128]",
    "op:matmul[m=256,n=256,k=64]",
    "op:matmul[m=64,n=256,k=256]",
    "op:matmul[m=96,n=160,k=224]",
    "op:matmul[m=16,n=512,k=128]",
    "op:matmul[m=512,n=32,k=128]",
    "op:matmul[m=100,n=100,k=100]",
    "op:matmul[m=128,n=128,k=128,layout=nt]",
    "op:batch_matmul[b=4,m=64,n=64,k=64]",
]


def load() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {"tables": {}}


def figures_of(results: dict[str, Any]) -> dict[str, float]:
    """What documents quote, of the parts that there are."""
    figures: dict[str, float] = {}
    if tables := results.get("tables", {}).values():
        gains = [
            each["default_ns"] / min(ns for ns in each["ns"].values() if ns) for each in tables
        ]
        figures["tune_tables"] = len(gains)
        figures["tune_points_least"] = min(len(each["ns"]) for each in tables)
        figures["tune_points_most"] = max(len(each["ns"]) for each in tables)
        figures["tune_best_against_default_median"] = statistics.median(gains)
        figures["tune_best_against_default_most"] = max(gains)
    if replayed := results.get("replay"):
        rows = replayed["operations"].values()
        searches = replayed["searches"] * len(rows)
        figures["tune_searches"] = replayed["searches"]
        figures["tune_replayed"] = len(rows)
        figures["tune_guided_at_least_as_often"] = replayed["guided_at_least_as_often"]
        for how in ("guided", "random"):
            close = sum(row[how] for row in rows)
            figures[f"tune_{how}_close_percent"] = 100 * close / searches
    if same_code := results.get("same"):
        figures["tune_same_runs"] = same_code["runs"]
        figures["tune_same_gains"] = same_code["gains"]
        figures["tune_same_no_gain"] = same_code["runs"] - same_code["gains"]
    return figures


def put(part: str, values: dict[str, Any], measured: bool = True) -> None:
    """Into the file as it is now: another of these may be at work."""
    results = load()
    results.setdefault(part, {}).update(values)
    results["figures"] = result_file.rounded(figures_of(results))
    if measured or "machine" not in results:
        results["machine"] = result_file.machine()
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def tune(build: str, operation: str, space: str, *more: str) -> list[dict[str, Any]]:
    """What `assay tune` logged."""
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/bin/assay", "tune", operation, "--configs", str(HERE / "tune" / space)]
        command += ["--out", f"{folder}/run", "--quiet", *more]
        ended = subprocess.run(command, env=os.environ, check=False)
        if ended.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)}: exit status {ended.returncode}")
        log = Path(folder, "run", "tune.jsonl").read_text()
    return [json.loads(line) for line in log.splitlines()]


def record(build: str) -> None:
    results = load()
    for operation in OPERATIONS:
        if operation in results["tables"]:
            continue
        # Six tenths of the time are the search's, and the rest is of no interest here.
        lines = tune(
            build,
            operation,
            "table_space.toml",
            "--search",
            "grid",
            "--spend",
            "60m",
            "--budget",
            "1s",
        )
        tried = {each["configuration"]: each["ns"] for each in lines if each["step"] == "try"}
        default = [
            each["ns"] for each in lines if each["step"] == "try" and not each["configuration"]
        ]
        tried.pop(None, None)
        table = {"default_ns": statistics.median(default), "ns": tried}
        put("tables", {operation: table})
        print(operation, len(tried), "points", flush=True)


def point_of(name: str) -> dict[str, Any]:
    family, *knobs = name.split("_")
    cut = [(each.rstrip("0123456789"), each) for each in knobs]
    return {"family": family, "knobs": [[key, each[len(key) :]] for key, each in cut]}


def searched(names: list[str], table: dict[str, float | None], seed: int, guided: bool) -> float:
    """The least time that a search finds at a tenth of the space."""
    budget = max(len(names) // 10, 1)
    if not guided:
        chosen = random.Random(seed).sample(range(len(names)), budget)
        return min((table[names[n]] or float("inf") for n in chosen), default=float("inf"))
    from assay_worker.guide import Guide

    guide = Guide([point_of(name) for name in names], seed)
    best = float("inf")
    for asked in range(0, budget, BATCH):
        for place in guide.ask(min(BATCH, budget - asked)):
            ns = table[names[place]]
            guide.tell(place, ns)
            best = min(best, ns or float("inf"))
    return best


def replay() -> None:
    results = load()
    rows = {}
    for operation, each in results["tables"].items():
        names, table = sorted(each["ns"]), each["ns"]
        least = min(ns for ns in table.values() if ns)
        close = {}
        for how in ("guided", "random"):
            found = [searched(names, table, seed, how == "guided") for seed in range(SEARCHES)]
            close[how] = sum(ns <= least * CLOSE for ns in found)
            close[f"{how}_median"] = round(statistics.median(found) / least, 4)
        rows[operation] = {
            "points": len(names),
            "best_against_default": round(each["default_ns"] / least, 3),
            **close,
        }
        print(operation, rows[operation], flush=True)
    at_least = sum(row["guided"] >= row["random"] for row in rows.values())
    replayed = {"searches": SEARCHES, "guided_at_least_as_often": at_least, "operations": rows}
    # What it searches was timed when the tables were made.
    put("replay", replayed, measured=False)
    print(
        f"guided comes within {CLOSE - 1:.0%} of the best at least as often in {at_least} of "
        f"{len(rows)}"
    )


def same(build: str, count: int) -> None:
    seen = load().get("same", {"runs": 0, "gains": 0})
    for number in range(count):
        lines = tune(
            build,
            OPERATIONS[number % len(OPERATIONS)],
            "same_code.toml",
            *(
                "--search",
                "random",
                "--seed",
                str(seen["runs"]),
                "--spend",
                "2m",
                "--budget",
                "20s",
            ),
        )
        judged = [
            each["judged"]["outcome"]
            for each in lines
            if each["step"] == "judge" and "judged" in each
        ]
        seen["runs"] += 1
        seen["gains"] += "faster" in judged
        put("same", seen)
        print(seen, judged, flush=True)


def main() -> None:
    match sys.argv[1:]:
        case ["record", build]:
            record(build)
        case ["replay"]:
            replay()
        case ["same", build, *more]:
            same(build, int(more[0]) if more else 40)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
