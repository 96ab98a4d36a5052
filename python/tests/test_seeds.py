"""What a problem draws at random is one model's: in the program, in the archive, and in eager."""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from compiling import Compiled, Eager, difference
from serving import WEIGHTS
from test_export import Served

LARGE = "self.large = nn.Linear(300, 300)"  # 360 KB: drawn by no export
SMALL = "self.small = nn.Linear(4, 4)"


def problem(first: str, then: str, forward: str) -> str:
    return f"""
import random
import numpy
import torch
from torch import nn
AT_THE_TOP = torch.rand(4)
class Model(nn.Module):
    def __init__(self, width, scale):
        super().__init__()
        {first}
        self.width, self.scale = width, scale
        {then}
    def forward(self, x):
        return {forward}
def get_init_inputs():
    return [random.choice(range(2, 50)), numpy.random.rand()]
def get_inputs():
    return [torch.rand(3, 4), random.random()][:1]
"""


class Seeds(Served):
    def same(self, source: str) -> dict[str, Any]:
        """The program with the archive computes what eager does; returns the description."""
        exported = self.ok(source)
        drawn = self.zygote.job(WEIGHTS, source)
        self.assertIn("ok", drawn.answer, drawn.answer)
        eager = Eager.of(source)
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder, "weights.irpa")
            archive.write_bytes(drawn.mlir)
            got = Compiled(exported.mlir, archive)(*eager.tensors())
        self.assertEqual(difference(got, eager.outputs()), "")
        ok: dict[str, Any] = exported.answer["ok"]
        return ok

    def test_numbers_of_all_generators(self) -> None:
        then = (
            "self.r, self.n = random.random(), numpy.random.rand(); "
            "self.w = nn.Parameter(torch.rand(4))"
        )
        forward = "x * self.width + self.scale * self.r + self.n * self.w + AT_THE_TOP"
        for first in (SMALL, LARGE):
            with self.subTest(first=first):
                self.assertEqual(self.same(problem(first, then, forward))["fallbacks"], [])

    def test_generators_without_a_seed(self) -> None:
        for drawn in (
            "random.Random().random()",
            "numpy.random.default_rng().random()",
            "numpy.random.Generator(numpy.random.PCG64()).random()",
            "(random.seed() or random.random()) + (numpy.random.seed() or numpy.random.rand())",
        ):
            with self.subTest(drawn=drawn):
                source = problem(SMALL, f"self.k = {drawn}", "x * self.k + self.scale")
                first, second = (self.ok(source).mlir for _ in range(2))
                self.assertEqual(first, second)
        # Two of them are not one: they draw different numbers.
        two = "self.k = 1 / (random.Random().random() - random.Random().random())"
        self.ok(problem(SMALL, two, "x * self.k"))
        wide = f"self.wide = nn.Linear(4, random.Random().randrange(2, 1000)); {SMALL}"
        source = problem(wide, "pass", "self.wide(x)")
        drawn = self.zygote.job(WEIGHTS, source).answer["ok"]
        self.assertEqual(drawn["bytes"], self.ok(source).answer["ok"]["parameters"]["bytes"])

    def test_values_in_small_tensors(self) -> None:
        then = (
            "self.k = torch.rand(3)[1].item() + random.random(); self.t = [torch.randn(4)]; "
            "self.register_buffer('b', torch.rand(4), persistent=False)"
        )
        ok = self.same(problem(SMALL, then, "x * self.k + self.t[0] * self.b + self.scale"))
        self.assertEqual(ok["fallbacks"], ["small_real"])
        self.assertEqual(ok["parameters"]["count"], 2)

    def test_a_buffer_after_one_too_large_to_be_drawn_is_a_parameter(self) -> None:
        then = (
            "self.k = torch.ones(3)[1].item(); "
            "self.register_buffer('c', torch.arange(4.0), persistent=False); "
            "self.register_buffer('b', (torch.rand(8) * 3)[2:6], persistent=False)"
        )
        ok = self.same(problem(LARGE, then, "x * self.k + self.b + self.c"))
        self.assertEqual(ok["fallbacks"], ["small_real"])
        self.assertEqual(ok["parameters"]["count"], 3)
        self.assertEqual(ok["passes"], [{"name": "tensor_attributes", "changed": ["b"]}])

    def test_a_value_after_one_too_large_to_be_drawn_is_noted(self) -> None:
        for then, forward in (
            ("self.k = torch.rand(3)[1].item()", "x * self.k"),
            ("self.k = torch.rand(3).mul_(2).tolist()[0]", "x * self.k"),
            ("self.k = float(numpy.sum(torch.rand(3).numpy()))", "x * self.k"),
            ("self.k = torch.rand(3).to_sparse().values().sum().item()", "x * self.k"),
            ("self.k = 2 if torch.rand(()) > 0.5 else 3", "x * self.k"),
            ("self.n = torch.ones(1).item(); self.t = [torch.rand(4) + 1]", "x + self.t[0]"),
        ):
            with self.subTest(then=then):
                ok = self.ok(problem(LARGE, then, forward)).answer["ok"]
                self.assertEqual(ok["fallbacks"], ["small_real", "other_random"])
        # What is drawn before the large one, and what is drawn by others, is what a build draws.
        then = "self.k = torch.ones(3)[1].item() * random.random(); self.t = [torch.arange(4.0)]"
        before = "self.j = torch.rand(3)[1].item(); " + LARGE
        source = problem(before, then, "x * self.k + self.j + self.t[0]")
        for each in (
            source,
            source.replace("return [random", "torch.rand(1 << 20); return [random"),
        ):
            self.assertEqual(self.same(each)["fallbacks"], ["small_real"])


if __name__ == "__main__":
    unittest.main()
