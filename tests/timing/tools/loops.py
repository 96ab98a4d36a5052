"""Times two native kernels in the way that people do in Python, and prints what it found.

    loops.py RULE BASELINE CANDIDATE PROBLEM SECONDS

RULE is one of RULES below. Libraries are called by ctypes in this one process, first the baseline,
then the candidate, with the same inputs at each call, by the clock on the wall. Both are timed
again and again until SECONDS are over, once at least. Prints a list of [baseline, candidate], in
seconds a call.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "naive_judge"))

import torch
from naive import load
from native import Kernel

Call = Callable[[], object]


def seconds_of(call: Call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def mean_of_100(call: Call) -> float:
    """As KernelBench has it: three calls to warm up, the mean of a hundred."""
    for _ in range(3):
        call()
    return statistics.fmean(seconds_of(call) for _ in range(100))


def do_bench(call: Call) -> float:
    """As Triton's do_bench: an estimate by 5 calls, 25 ms to warm up, 100 ms, their median."""
    call()
    estimate = sum(seconds_of(call) for _ in range(5)) / 5
    for _ in range(max(1, int(0.025 / estimate))):
        call()
    return statistics.median(seconds_of(call) for _ in range(max(1, int(0.1 / estimate))))


RULES = {"mean_of_100": mean_of_100, "do_bench": do_bench}


def main() -> None:
    rule = RULES[sys.argv[1]]
    libraries = [Path(each) for each in sys.argv[2:4]]
    problem = Path(sys.argv[4])
    torch.set_num_threads(1)
    module = load(problem, problem)
    inputs = module.get_inputs()
    outputs = [module.Model()(*inputs)]
    kernels = [Kernel(library, inputs, [], outputs) for library in libraries]
    addresses = [(kernel, kernel.call_of(inputs)) for kernel in kernels]
    calls: list[Call] = [
        lambda kernel=kernel, call=call: kernel.entry(call) for kernel, call in addresses
    ]
    until = time.perf_counter() + float(sys.argv[5])
    found = []
    while not found or time.perf_counter() < until:
        found.append([rule(call) for call in calls])
    for kernel in kernels:  # who times what is wrong has timed nothing
        torch.testing.assert_close(kernel.outputs[0].tensor, outputs[0], rtol=1e-3, atol=1e-3)
    print(json.dumps(found))


main()
