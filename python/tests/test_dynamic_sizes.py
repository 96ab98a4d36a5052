"""What `get_dynamic_sizes()` may say, and what the exporter makes of it."""

import unittest

import torch
from test_export import HEAD, Served
from torch.export import Dim

from assay_worker.dynamic_sizes import BadSizes, as_torch_has_it

PROBLEM = f"""{HEAD}
class Model(nn.Module):
    def forward(self, x, y):
        return torch.softmax(x @ y, dim=1)

def get_inputs():
    return [torch.rand(3, 4), torch.rand(4, 5)]

def get_dynamic_sizes():
    return [[0], []]
"""


class Said(unittest.TestCase):
    def test_dimensions_become_torchs_own_words(self) -> None:
        inputs = [torch.ones(3, 1), {"a": torch.ones(4), "n": 2}]
        shapes = as_torch_has_it([[0, 1], [0], []], inputs)
        self.assertEqual(
            shapes, ({0: Dim.DYNAMIC, 1: Dim.AUTO}, {"a": {0: Dim.DYNAMIC}, "n": None})
        )

    def test_what_cannot_be_meant_is_said(self) -> None:
        inputs = [torch.ones(3, 2), 7]
        for entries, part in (
            (None, "gave None for 2 inputs"),
            ([[0]], "gave 1 entries for 2 inputs"),
            ([[2], []], r"\[0\]` is \[2\]: give a list of dimensions from 0 to below 2"),
            ([[-1], []], "from 0 to below 2"),
            ([[True], []], "from 0 to below 2"),
            ([0, []], r"\[0\]` is 0"),
            ([[0], [0]], "that input has no dimensions"),
        ):
            with self.subTest(entries=entries), self.assertRaisesRegex(BadSizes, part):
                as_torch_has_it(entries, inputs)


class Exported(Served):
    def test_a_program_leaves_them_open_and_its_description_does_not(self) -> None:
        done = self.ok(PROBLEM)
        self.assertIn(b"!torch.vtensor<[?,4],f32>", done.mlir)
        self.assertIn(b"-> !torch.vtensor<[?,5],f32>", done.mlir)
        self.assertEqual(done.answer["ok"]["outputs"], [{"shape": [3, 5], "dtype": "f32"}])

    def test_a_model_that_builds_one_in_says_so(self) -> None:
        source = PROBLEM.replace("x @ y", "x @ y + torch.ones(3, 5)")
        self.assertIn(
            "one size alone of dimension 0 of `x`", self.failed("export", source)["error"]
        )

    def test_json_has_no_room_for_them(self) -> None:
        self.assertIn("iree alone", self.unsupported(PROBLEM, route="stablehlo"))


if __name__ == "__main__":
    unittest.main()
