#!/usr/bin/env python3
"""How much the reward of one and the same kernel differs from one judgement to the next.

    bench/rewards.py [--count 20] [--write]

Takes two kernels for one problem: one that is plainly faster than eager, and one that is the same.
$ASSAY names the assay (build/release/bin/assay). What else the machine does makes them differ more:
its load average at the end is among the figures.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.append(str(REPOSITORY / "python"))

import result_file

import assay

CASE = REPOSITORY / "tests" / "cases" / "serve_timed"


def rewards_of(judge: assay.Judge, name: str, request: assay.Request, count: int) -> list[float]:
    rewards = []
    for n in range(count):
        verdict = judge.submit(request).result()
        if verdict.speedup_low is None:
            sys.exit(f"it has no speed: {verdict}")
        rewards.append(verdict.reward(allow=["library"]))
        low = verdict.speedup_low
        print(f"{name} {n + 1}: {verdict.outcome}, {low:.3f}x, {rewards[-1]:.3f}", flush=True)
    return rewards


def figures_of(name: str, rewards: list[float]) -> dict[str, float]:
    return {
        f"reward_{name}_mean": statistics.fmean(rewards),
        f"reward_{name}_deviation": statistics.stdev(rewards),
        f"reward_{name}_least": min(rewards),
        f"reward_{name}_most": max(rewards),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    problem = CASE / "chain.py"
    same = problem.read_text().replace("class Model", "class ModelNew")
    requests = {
        "faster": assay.Request(problem, CASE / "fused.c"),
        "same": assay.Request(problem, same),
    }
    program = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))
    figures: dict[str, float] = {"reward_judgements": arguments.count}
    with assay.Judge(against="eager", quick=True, assay=program) as judge:
        for name, request in requests.items():
            figures |= figures_of(name, rewards_of(judge, name, request, arguments.count))
    if arguments.write:
        result_file.write("rewards", figures | {"reward_load": os.getloadavg()[0]})
    else:
        print(figures)


if __name__ == "__main__":
    main()
