"""Buffers set to inputs and to other buffers: carried where that is the same, else refused."""

from test_export import Served


def problem(forward: str) -> str:
    return f"""
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.rand(4), torch.rand(4)
    def forward(self, x):
        {forward}
        return x + self.a * self.b
def get_inputs():
    return [torch.rand(4)]
"""


class AssignedInputs(Served):
    def test_carried(self) -> None:
        for forward, state in (
            ("self.b = self.a", ["b"]),
            ("self.b = x", ["b"]),
            ("self.a = self.a.to(x.device); self.b = self.a.to(x.device)", ["a", "b"]),
            ("self.a = x * 2; self.b = self.a", ["a", "b"]),
            ("self.a += 1; self.a += 1", ["a"]),
        ):
            with self.subTest(forward=forward):
                ok = self.ok(problem(forward)).answer["ok"]
                self.assertEqual([each["name"] for each in ok["state"]], state)

    def test_one_tensor_under_two_names_is_not_changed_in_place(self) -> None:
        for forward in (
            "self.b = self.a; self.a.add_(1)",
            "self.b = self.a; self.b.add_(1)",
            "self.b = x; x.add_(1)",
            "self.b = self.a; self.a += 1",
        ):
            with self.subTest(forward=forward):
                self.assertIn("`b`", self.unsupported(problem(forward)))

    def test_tensors_of_the_file_that_share_memory(self) -> None:
        # Torch sets them as buffers of a graph that it is about to read to its end: a copy made
        # there would become one more node of it, for ever.
        top = "TABLE = torch.arange(4.0)\nROW = TABLE[:1]\nclass"
        read = problem("x = x + TABLE * ROW").replace("class", top, 1)
        self.assertEqual(self.ok(read).answer["ok"]["state"], [])
        for forward in ("TABLE.add_(1); x = x + ROW", "TABLE.add_(1); ROW.add_(1); x = x + TABLE"):
            with self.subTest(forward=forward):
                reason = self.unsupported(problem(forward).replace("class", top, 1))
                self.assertIn("shares memory", reason)


if __name__ == "__main__":
    import unittest

    unittest.main()
