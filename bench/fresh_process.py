#!/usr/bin/env python3
"""Checks one candidate as most benches do today: bench/verify.py starts it once for each.

Usage: bench/fresh_process.py PROBLEM CANDIDATE [--timed]

Imports torch, runs both files, draws inputs five times under known seeds, and compares with
allclose at KernelBench's tolerance for f32. Prints "correct" or "wrong"; with --timed also how many
times as fast the candidate is, by the means of 100 calls after 3.
"""

import sys
import time
from typing import Any

import torch

TRIALS = 5
TOLERANCE = 1e-4
WARM_UPS, CALLS = 3, 100


def run(path: str) -> dict[str, object]:
    names: dict[str, object] = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    return names


def close(a: object, b: object) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return bool(a == b)
    return a.shape == b.shape and torch.allclose(
        a.double(), b.double(), atol=TOLERANCE, rtol=TOLERANCE
    )


def seconds_a_call(model: Any, inputs: list[object]) -> float:
    for _ in range(WARM_UPS):
        model(*inputs)
    begin = time.perf_counter()
    for _ in range(CALLS):
        model(*inputs)
    return (time.perf_counter() - begin) / CALLS


def main() -> int:
    problem, candidate = run(sys.argv[1]), run(sys.argv[2])
    models = []
    for names, word in ((problem, "Model"), (candidate, "ModelNew")):
        torch.manual_seed(42)
        arguments = problem["get_init_inputs"]() if "get_init_inputs" in problem else []  # type: ignore[operator]
        torch.manual_seed(42)
        models.append(names[word](*arguments).eval())  # type: ignore[operator]
    with torch.no_grad():
        for trial in range(TRIALS):
            torch.manual_seed(trial)
            inputs = problem["get_inputs"]()  # type: ignore[operator]
            if not close(models[0](*inputs), models[1](*inputs)):
                print("wrong")
                return 0
        if "--timed" in sys.argv[3:]:
            ours, theirs = (seconds_a_call(model, inputs) for model in models)
            print(f"{ours / theirs:.3f}")
    print("correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
