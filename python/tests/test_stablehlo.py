"""Routes by StableHLO: programs compute what eager does, and need no data to be written."""

import unittest
from importlib import util
from typing import Any

from compiling import Compiled, Eager, difference
from serving import EXPORT, Outcome, Serving

# Weights, one of them by two names; buffers that a state_dict has and has not; a number.
NETWORK = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.norm = nn.BatchNorm1d(6)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scale", torch.rand(20))
        self.register_buffer("shift", torch.arange(20.0), persistent=False)
    def forward(self, pair, power):
        ids, mask = pair
        x = self.norm(self.embed(ids) ** power)
        logits = self.head(x) * self.scale + self.shift
        return {"all": logits, "some": (x.sum(-1), mask | (ids[:, 0] > 3))}
def get_inputs():
    return [(torch.randint(0, 20, (4, 6)), torch.zeros(4, dtype=torch.bool)), 2]
"""
# Weights of four bits, two in a byte.
PACKED = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("packed", torch.randint(0, 256, (6, 4), dtype=torch.uint8))
        self.register_buffer("least", torch.tensor(3, dtype=torch.uint8))
    def forward(self, x):
        pairs = torch.stack([self.packed & 15, self.packed >> 4], 2).clamp(min=self.least)
        return x @ pairs.reshape(6, 8).to(x.dtype).t()
def get_inputs():
    return [torch.randn(5, 8)]
"""
UNKNOWN = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x[x > 0].sum()
def get_inputs():
    return [torch.randn(5)]
"""


class OfRoute:
    """The tests of a route; whoever has them is a TestCase, too."""

    route: str
    refused: str  # of UNKNOWN

    def outcome(self: Any, source: str, **job: Any) -> Outcome:
        outcome: Outcome = self.zygote.job({**EXPORT, "route": self.route, **job}, source)
        return outcome

    def test_a_program_computes_what_eager_does(self: Any) -> None:
        for train in (False, True):
            with self.subTest(train=train):
                mode = "train" if train else "eval"
                outcome = self.outcome(NETWORK, mode=mode)
                self.assertIn("ok", outcome.answer, outcome.answer)
                by_torch = self.zygote.job({**EXPORT, "mode": mode}, NETWORK).answer["ok"]
                for told in ("inputs", "outputs", "state", "mutated_inputs"):
                    self.assertEqual(outcome.answer["ok"][told], by_torch[told])
                eager = Eager.of(NETWORK, train)
                held = eager.parameters()
                state = [held[each["name"]].clone() for each in by_torch["state"]]
                program = Compiled(outcome.mlir, held)
                got = program(*eager.tensors(), *state)
                wanted = eager.outputs()
                wanted += [eager.parameters()[each["name"]] for each in by_torch["state"]]
                self.assertEqual(difference(got, wanted), "")

    def test_what_is_held_is_named_and_not_written(self: Any) -> None:
        text = self.outcome(NETWORK).mlir.decode()
        self.assertIn('#flow.parameter.named<"model"::"embed.weight">', text)
        self.assertIn('"model"::"scale"', text)
        self.assertNotIn('"model"::"shift"', text)
        self.assertIn("stablehlo.", text)

    def test_an_operation_that_stands_in_the_way_is_named(self: Any) -> None:
        answer = self.outcome(UNKNOWN).answer
        self.assertEqual(answer["failed"]["class"], "import", answer)
        self.assertIn(self.refused, answer["failed"]["error"])


@unittest.skipUnless(util.find_spec("torchax"), "torchax is absent")
class ByTorchax(OfRoute, Serving):
    route = "stablehlo"
    refused = "aten.index.Tensor: Array boolean indices"

    def test_bytes_without_a_sign_are_held_as_bytes(self) -> None:
        outcome = self.outcome(PACKED)
        self.assertIn("ok", outcome.answer, outcome.answer)
        eager = Eager.of(PACKED, False)
        got = Compiled(outcome.mlir, eager.parameters())(*eager.tensors())
        self.assertEqual(difference(got, eager.outputs()), "")


@unittest.skipUnless(util.find_spec("torch_mlir"), "torch-mlir is absent")
class ByTorchMlir(OfRoute, Serving):
    route = "torch-mlir"
    refused = "failed to legalize operation 'torch.runtime.assert'"
