"""Where the time of a call goes, as a candidate's process tells it."""

import time
import unittest
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import torch
from torch import nn

from assay_worker import operators
from assay_worker.operators import count_operators


def counted(model: nn.Module, *arguments: Any) -> dict[str, Any]:
    def call(around: AbstractContextManager[Any]) -> int:
        with around:
            begin = time.perf_counter_ns()
            model(*arguments)
            return time.perf_counter_ns() - begin

    with torch.no_grad():
        return count_operators(call)


class Block(nn.Module):  # type: ignore[misc]
    """A product, what is made of others, a view, and something twice."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.linear(x)) @ self.linear.weight
        with torch.profiler.record_function("aten::of_my_own"):
            return torch.relu(y).flatten() + 1


class Operators(unittest.TestCase):
    def test_each_has_its_shapes_its_work_and_its_time(self) -> None:
        told = counted(Block(), torch.rand(128, 64))
        self.assertEqual(told["by"], "profiler")
        by_name = {each["name"]: each for each in told["operators"]}
        self.assertEqual(
            list(by_name),
            [
                "t 32x64 f32",
                "addmm 32 128x64 64x32 f32",
                "relu 128x32 f32",
                "mm 128x32 32x64 f32",
                "relu 128x64 f32",
                "view 128x64 f32",
                "add 8192 f32",
            ],
        )
        product = by_name["addmm 32 128x64 64x32 f32"]
        self.assertEqual(product["flops"], 2 * 128 * 64 * 32)
        self.assertEqual(product["bytes"], 4 * (32 + 128 * 64 + 64 * 32 + 128 * 32))
        self.assertEqual(by_name["view 128x64 f32"]["bytes"], 0)
        self.assertIsNone(by_name["relu 128x32 f32"]["flops"])
        for call in told["calls"]:
            places, begins, times = zip(*call["operators"], strict=True)
            self.assertEqual(list(places), list(range(7)))
            self.assertEqual(list(begins), sorted(begins))
            self.assertEqual(begins[0], 0)
            self.assertLessEqual(sum(times), call["call_ns"])

    def test_operators_are_nearly_all_of_a_large_call(self) -> None:
        layers = [nn.Linear(512, 512) for _ in range(4)]
        told = counted(nn.Sequential(*layers), torch.rand(2048, 512))
        call = sorted(told["calls"], key=lambda each: each["call_ns"])[0]
        in_operators = sum(took for _, _, took in call["operators"])
        self.assertGreater(in_operators, 0.9 * call["call_ns"])
        products = [each for each in told["operators"] if each["name"].startswith("addmm")]
        self.assertEqual(len(products), 1, "four of one kind are one")

    def test_where_the_profiler_sees_others_the_dispatcher_has_the_times(self) -> None:
        with mock.patch.object(operators, "_in_order", return_value=None):
            told = counted(Block(), torch.rand(128, 64))
        self.assertEqual(told["by"], "dispatcher")
        self.assertEqual(len(told["operators"]), 7)
        self.assertTrue(all(took > 0 for _, _, took in told["calls"][0]["operators"]))

    def test_what_computes_elsewhere_is_in_no_operator(self) -> None:
        class Elsewhere(nn.Module):  # type: ignore[misc]
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                time.sleep(0.01)
                return torch.from_numpy(x.numpy() * 2)

        told = counted(Elsewhere(), torch.rand(8))
        call = told["calls"][0]
        self.assertGreater(call["call_ns"] - sum(t for _, _, t in call["operators"]), 9_000_000)

    def test_an_odd_tensor_has_a_name(self) -> None:
        sparse = torch.eye(4).to_sparse()
        told = counted(Sum(), sparse, torch.tensor(1.0))
        self.assertTrue(told["operators"])


class Sum(nn.Module):  # type: ignore[misc]
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.sparse.sum(a) + b


if __name__ == "__main__":
    unittest.main()
