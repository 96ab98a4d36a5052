"""What one process leaves of what it has compiled, and when the next may take it."""

import os
import unittest
from dataclasses import dataclass
from importlib import util
from typing import Any

import torch
from torch import Tensor

from assay_worker.compilers import compiled
from assay_worker.left_program import LeftProgram, mark_of

FACTOR = 2.0  # of the file: a constant of the code


class Scaled(torch.nn.Module):  # type: ignore[misc]
    """Weights, which are none of the mark's; and what an exporter takes for a constant."""

    def __init__(self, scale: float = 1.5, among: float = 1.0, size: int = 4) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, size)
        self.register_buffer("shift", torch.rand(size), persistent=False)
        self.own = torch.full((size,), among)  # no buffer
        self.scales = {"of": [scale]}
        self.drawn = [torch.full((size,), among)]

    def forward(self, x: Tensor) -> Any:
        moved = self.layer(x) * self.scales["of"][0] * FACTOR + self.shift
        return moved + self.own * self.drawn[0] + torch.tensor([0.5]), 3


@dataclass
class Tied:
    """An object of the model's, which refers to it."""

    model: Any
    number: float


@unittest.skipUnless(util.find_spec("torchax"), "jax is absent")
class LeftPrograms(unittest.TestCase):
    def setUp(self) -> None:
        self.file = os.memfd_create("left")
        self.addCleanup(os.close, self.file)

    def compiles(self, model: torch.nn.Module, x: Tensor) -> bool:
        """Whether it had to be; its results are right in any case."""
        by = compiled(model.eval(), "xla", LeftProgram(self.file))
        with torch.no_grad():
            for each in (x, -x):
                torch.testing.assert_close(by(each)[0], model(each)[0])
                self.assertEqual(by(each)[1], 3)
        return bool(by.costs)

    def test_other_weights_are_called_by_the_same_program(self) -> None:
        torch.manual_seed(1)
        x = torch.rand(2, 4)
        self.assertTrue(self.compiles(Scaled(), x))
        self.assertFalse(self.compiles(Scaled(), x))
        self.assertTrue(self.compiles(Scaled(scale=2.5), x))
        self.assertTrue(self.compiles(Scaled(scale=2.5), torch.rand(3, 4)))
        self.assertFalse(self.compiles(Scaled(scale=2.5), torch.rand(3, 4)))

    def test_what_is_damaged_is_not_taken(self) -> None:
        x = torch.rand(2, 4)
        self.compiles(Scaled(), x)
        whole = os.pread(self.file, 1 << 24, 0)
        for damaged in (whole[:-1], whole[:16], b"x" + whole[1:], bytes(64)):
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, damaged, 0)
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
    def test_are_of_all_that_may_be_a_constant(self) -> None:
        x = (torch.rand(2, 4),)
        known = mark_of(Scaled(), x)
        self.assertEqual(mark_of(Scaled(), (torch.rand(2, 4),)), known)
        others = {
            "a number in a container": mark_of(Scaled(scale=1.25), x),
            "a tensor that is no buffer": mark_of(Scaled(among=0.5), x),
            "the shape of a weight": mark_of(Scaled(size=1), x),
            "the shape of an input": mark_of(Scaled(), (torch.rand(3, 4),)),
            "the type of an input": mark_of(Scaled(), (torch.rand(2, 4).double(),)),
            "an input that is no tensor": mark_of(Scaled(), (*x, 3)),
            "another": mark_of(Scaled(), (*x, 3.0)),
        }
        model = Scaled()
        model.layer.register_forward_hook(lambda *_: None)
        others["a hook"] = mark_of(model, x)
        for number in (1.0, 2.0):
            model = Scaled()
            model.tied = Tied(model, number)
            others[f"an object with {number}"] = mark_of(model, x)
        global FACTOR
        FACTOR = 3.0
        self.addCleanup(globals().update, FACTOR=2.0)
        others["a number of the file"] = mark_of(Scaled(), x)
        self.assertEqual(len({known, *others.values()}), 1 + len(others), others)
