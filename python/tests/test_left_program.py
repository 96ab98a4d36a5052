"""What one process leaves of what it has compiled, and when the next may take it."""

import os
import unittest
from importlib import util
from typing import Any

import torch
from torch import Tensor

from assay_worker.compilers import compiled
from assay_worker.left_program import LeftProgram, mark_of


class Scaled(torch.nn.Module):  # type: ignore[misc]
    """Weights, and other tensors that an exporter takes for constants."""

    def __init__(self, size: int = 4) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, size)
        self.register_buffer("shift", torch.rand(size), persistent=False)
        self.own = torch.rand(size)  # no buffer

    def forward(self, x: Tensor, power: float = 1.0) -> Any:
        return (self.layer(x) * self.own + self.shift + torch.tensor([0.5])) ** power, 3


@unittest.skipUnless(util.find_spec("torchax"), "jax is absent")
class LeftPrograms(unittest.TestCase):
    def setUp(self) -> None:
        self.file = os.memfd_create("left")
        self.addCleanup(os.close, self.file)

    def compiles(self, model: torch.nn.Module, *given: Any) -> bool:
        """Whether it had to be; its results are right in any case."""
        by = compiled(model.eval(), "xla", LeftProgram(self.file))
        with torch.no_grad():
            for sign in (1, -1):
                arguments = (sign * given[0], *given[1:])
                torch.testing.assert_close(by(*arguments)[0], model(*arguments)[0])
                self.assertEqual(by(*arguments)[1], 3)
        return bool(by.costs)

    def test_other_weights_are_called_by_the_same_program(self) -> None:
        self.assertTrue(self.compiles(Scaled(), torch.rand(2, 4)))
        self.assertFalse(self.compiles(Scaled(), torch.rand(2, 4)))
        self.assertTrue(self.compiles(Scaled(), torch.rand(3, 4)))
        self.assertTrue(self.compiles(Scaled(size=1), torch.rand(3, 4)))
        self.assertTrue(self.compiles(Scaled(size=1), torch.rand(3, 4), 2.0))
        self.assertFalse(self.compiles(Scaled(size=1), torch.rand(3, 4), 2.0))

    def test_what_is_damaged_is_not_taken(self) -> None:
        x = torch.rand(2, 4)
        self.compiles(Scaled(), x)
        whole = os.pread(self.file, 1 << 24, 0)
        for damaged in (whole[:-1], whole[:16], b"x" + whole[1:], bytes(64)):
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, damaged, 0)
            self.assertTrue(self.compiles(Scaled(), x))
        # Whole, and nothing that it can go on from.
        LeftProgram(self.file).write(mark_of(Scaled(), (x,)), "no program")
        self.assertTrue(self.compiles(Scaled(), x))

    def test_classes_that_have_no_name_leave_nothing(self) -> None:
        left = LeftProgram(self.file)
        left.write("mark", [1])
        self.assertEqual(left.read("mark"), [1])
        self.assertIsNone(left.read("another"))

        class Here:
            pass

        left.write("mark", Here())
        self.assertIsNone(left.read("mark"))


class Marks(unittest.TestCase):
    def test_are_of_how_a_model_is_called(self) -> None:
        x = torch.rand(2, 4)
        known = mark_of(Scaled(), (x,))
        self.assertEqual(mark_of(Scaled(), (torch.rand(2, 4),)), known)
        others = [
            mark_of(Scaled(size=1), (x,)),
            mark_of(Scaled().double(), (x,)),
            mark_of(Scaled(), (torch.rand(3, 4),)),
            mark_of(Scaled(), (x.double(),)),
            mark_of(Scaled(), (x, 3)),
            mark_of(Scaled(), (x, 3.0)),
            mark_of(Scaled(), ([x], 3.0)),
        ]
        self.assertEqual(len({known, *others}), 1 + len(others))
