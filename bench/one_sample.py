#!/usr/bin/env python3
"""Judges one sample as HipKittens' runner of KernelBench does: bench/write.py starts it for each.

Usage: bench/one_sample.py PROBLEM CODE RESULT_JSON

One process, which imports torch, runs the problem and the code (load_inline builds what it builds),
compares one set of inputs with the tolerance max(1, 5 % of the largest), and times 100 calls of
each after 10. Exit status: 0 right and as fast, 1 right and slower, 2 neither.
"""

import json
import sys
import time
from typing import Any

import torch

WARM_UPS, CALLS = 10, 100


def run(path: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__file__": path}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    return names


def milliseconds_a_call(model: Any, inputs: list[Any]) -> float:
    for _ in range(WARM_UPS):
        model(*inputs)
    begin = time.perf_counter()
    for _ in range(CALLS):
        model(*inputs)
    return (time.perf_counter() - begin) / CALLS * 1e3


def judge(problem_path: str, code_path: str, result: dict[str, Any]) -> int:
    problem = run(problem_path)
    try:
        code = run(code_path)
        torch.manual_seed(42)
        arguments = problem["get_init_inputs"]() if "get_init_inputs" in problem else []
        reference, candidate = problem["Model"](*arguments), code["ModelNew"](*arguments)
    except Exception as error:
        result["error"] = f"Compile error: {str(error)[-3000:]}"
        return 2
    result["compile_success"] = True
    torch.manual_seed(12345)
    inputs = problem["get_inputs"]()
    with torch.no_grad():
        wanted, got = reference(*inputs).float(), candidate(*inputs).float()
        difference = (wanted - got).abs().max().item()
        result["max_diff"] = difference
        result["accuracy_pass"] = difference < max(1.0, 0.05 * wanted.abs().max().item())
        if not result["accuracy_pass"]:
            return 2
        result["ref_time_ms"] = milliseconds_a_call(reference, inputs)
        result["new_time_ms"] = milliseconds_a_call(candidate, inputs)
    result["speedup"] = result["ref_time_ms"] / result["new_time_ms"]
    return 0 if result["speedup"] >= 1 else 1


def main() -> int:
    problem, code, to = sys.argv[1:]
    result: dict[str, Any] = {"compile_success": False, "accuracy_pass": False, "speedup": 0.0}
    status = judge(problem, code, result)
    with open(to, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return status


if __name__ == "__main__":
    sys.exit(main())
