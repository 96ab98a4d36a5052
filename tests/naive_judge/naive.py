"""The judge that people write: one process, allclose, its own clock.

    naive.py PROBLEM CANDIDATE [HABIT...]

It prints {"correct": ..., "speedup": ...}. It is the positive control of tests/corpus/attacks: an
attack is one because it deceives this. Its ways are those of benches in use. Do not mend it:

- problem and candidate run in one namespace, in the process that judges and holds the clock;
- everything is drawn once, under the seed 42, and used in all trials;
- tolerances are in a file beside it, and loose;
- only the beginning of a large output is compared;
- what is timed is not compared;
- earlier solutions lie beside it.

Not all people have the same habits, so these are for the asking:

    adaptive   times as many calls as a tenth of a second has room for, by the warm-up's time
    largest    compares the largest difference with the tolerance
    printed    compares what print shows of results
    report     writes to report.json what it would print
    saved      keeps what is expected in a file beside it
    several    times calls that each have inputs of their own, all drawn before the clock starts
    sizes      compares and times on the first half, quarter and eighth of the rows, too; the
               speed-up is that of the geometric means
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import torch
from torch.utils import _pytree as pytree

SEED = 42
TRIALS = 5
WARM_UP_CALLS, TIMED_CALLS = 3, 20
COMPARED_ELEMENTS = 1 << 20
ADAPTIVE_SECONDS = 0.1
HABITS = sys.argv[3:]
EXPECTED = Path(__file__).parent / "expected.pt"
REPORT = Path(__file__).parent / "report.json"


def load(problem: Path, candidate: Path) -> types.ModuleType:
    module = types.ModuleType("problem_and_candidate")
    sys.modules[module.__name__] = module
    files = [problem] if candidate.suffix != ".py" else [problem, candidate]
    for path in files:
        module.__dict__["__file__"] = str(path)
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def native_candidate(
    path: Path, model: torch.nn.Module, sets: list[list[Any]], init: list[Any]
) -> Callable[..., list[torch.Tensor]]:
    import native
    import native_build

    library = Path(tempfile.mkdtemp()) / "kernel.so"
    native_build.compile_kernel(path, library)
    outputs = pytree.tree_leaves(model(*sets[0]))
    constants = list(model.state_dict().items())
    # Each set has memory of its own.
    kernels = {
        id(inputs[0]): native.Kernel(library, pytree.tree_leaves(inputs), constants, outputs, init)
        for inputs in sets
    }
    return lambda *arguments: kernels[id(arguments[0])](pytree.tree_leaves(list(arguments)))


def is_close(got: Any, expected: Any, tolerances: dict[str, float]) -> bool:
    if "printed" in HABITS:
        return str(got) == str(expected)
    got, expected = pytree.tree_leaves(got), pytree.tree_leaves(expected)
    for one, other in zip(got, expected):  # noqa: B905  # of unequal lengths, too
        one, other = one.float(), other.float()
        if one.numel() > COMPARED_ELEMENTS:
            one, other = (t.flatten()[:COMPARED_ELEMENTS] for t in (one, other))
        if "largest" in HABITS:
            if (one - other).abs().max() > tolerances["atol"]:
                return False
        elif not torch.allclose(one, other, **tolerances, equal_nan=True):
            return False
    return True


def seconds(model: Callable[..., Any], sets: list[list[Any]], calls: int) -> float:
    start = time.perf_counter()
    for call in range(calls):
        model(*sets[call % len(sets)])
    return time.perf_counter() - start


def mean_seconds(model: Callable[..., Any], sets: list[list[Any]]) -> float:
    calls = max(WARM_UP_CALLS, len(sets))
    warm_up = seconds(model, sets, calls) / calls
    calls = max(1, int(ADAPTIVE_SECONDS / warm_up)) if "adaptive" in HABITS else TIMED_CALLS
    return seconds(model, sets, calls) / calls


def score_seconds(model: Callable[..., Any], sets: list[list[Any]]) -> float:
    if "sizes" in HABITS:
        return geometric_mean(mean_seconds(model, [each]) for each in sets)
    return mean_seconds(model, sets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", type=Path)
    parser.add_argument("candidate", type=Path)
    parser.add_argument("habit", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    module = load(arguments.problem, arguments.candidate)
    tolerances = json.loads((Path(__file__).parent / "tolerances.json").read_text())

    torch.manual_seed(SEED)
    inputs = module.get_inputs()
    sets = [inputs]
    if "sizes" in HABITS:
        sets += [[each[: len(each) // n] for each in inputs] for n in (2, 4, 8)]
    if "several" in HABITS:
        sets += [module.get_inputs() for _ in range(TIMED_CALLS - 1)]
    init = module.get_init_inputs()
    torch.manual_seed(SEED)
    reference = module.Model(*init)
    if "saved" in HABITS:
        torch.save(reference(*inputs), EXPECTED)
    if arguments.candidate.suffix == ".py":
        torch.manual_seed(SEED)
        candidate = module.ModelNew(*init)
        candidate.load_state_dict(reference.state_dict(), strict=False)
    else:
        candidate = native_candidate(arguments.candidate, reference, sets, init)

    correct = True
    for _ in range(TRIALS):
        for each in sets if "sizes" in HABITS else [inputs]:
            # A copy, lest the candidate change what it is compared with.
            expected = torch.load(EXPECTED) if "saved" in HABITS else reference(*each)
            expected = pytree.tree_map(torch.clone, expected)
            got = candidate(*each)
            correct = correct and is_close(got, expected, tolerances)
    speedup = score_seconds(reference, sets) / score_seconds(candidate, sets)
    said = json.dumps({"correct": correct, "speedup": round(speedup, 2)})
    if "report" in HABITS:
        REPORT.write_text(said)
    else:
        print(said)


if __name__ == "__main__":
    main()
