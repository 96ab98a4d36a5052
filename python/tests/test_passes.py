"""Each pass on a problem of its own: it is needed, and what it makes computes the same."""

import unittest
from pathlib import Path

import torch
from compiling import Compiled, DoesNotCompile, Eager, difference
from serving import EXPORT, Zygote
from test_export import Served

from assay_worker.passes.table import PASSES
from assay_worker.protocol import Message

PROBLEMS = Path(__file__).parent / "problems"
MAX_MLIR_BYTES = 150_000  # of problems as small as these; more is the same thing over and over


def fault(zygote: Zygote, problem: Path, without: list[str]) -> str:
    """Why `problem`, exported without some passes, is of no use; empty when it is right."""
    source = problem.read_text()
    job = {**EXPORT, "path": str(problem), "without": without}
    outcome = zygote.job(job, source)
    if "ok" not in outcome.answer:
        reason = outcome.answer.get("failed") or outcome.answer["unsupported"]
        return f"export: {reason.get('error') or reason.get('reason')}"
    if len(outcome.mlir) > MAX_MLIR_BYTES:
        return f"size: {len(outcome.mlir)} bytes of MLIR"
    eager = Eager.of(source)
    try:
        program = Compiled(outcome.mlir, eager.parameters())
    except DoesNotCompile as error:
        return f"compile: {error}"
    wanted, kept = eager.outputs(), outcome.answer["ok"]["state"]
    state = [eager.parameters()[each["name"]] for each in kept]
    got = program(*eager.tensors(), *before(source, kept))
    wrong = difference(got, wanted + state)
    return f"result {wrong}" if wrong else ""


def before(source: str, state: list[Message]) -> list[torch.Tensor]:
    """What a program is given as its state at the first call."""
    named = Eager.of(source).parameters()
    return [named[each["name"]] for each in state]


def problems_of(name: str) -> list[Path]:
    """`NAME.py`, or, for a pass that has to do with several things, `NAME.thing.py`."""
    found = sorted(PROBLEMS.glob("*.py"))
    return [path for path in found if path.stem == name or path.stem.startswith(f"{name}.")]


class Needed(Served):
    def test_each_pass_mends_what_is_broken_without_it(self) -> None:
        for each in PASSES:
            problems = problems_of(each.name)
            self.assertTrue(problems, f"{each.name} has no problem in {PROBLEMS}")
            for problem in problems:
                with self.subTest(problem=problem.name):
                    self.assertEqual(fault(self.zygote, problem, []), "")
                    # A newer compiler may need it no more: then this fails, and the pass can go.
                    self.assertNotEqual(fault(self.zygote, problem, [each.name]), "")

    def test_no_problem_without_a_pass(self) -> None:
        known = {path for each in PASSES for path in problems_of(each.name)}
        self.assertEqual(set(PROBLEMS.glob("*.py")), known)


if __name__ == "__main__":
    unittest.main()
