"""Compilers of a problem's own model, called as the runner of candidates calls them."""

import json
import time
import unittest
from importlib import util
from typing import Any

import torch
from torch import Tensor

from assay_worker.compile_parts import NotTaken
from assay_worker.compilers import COMPILERS, Compiling, compiled
from assay_worker.stablehlo import NotWritten


class Several(torch.nn.Module):  # type: ignore[misc]
    """Containers on both sides, numbers, weights, buffers, and one that a call writes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.register_buffer("shift", torch.arange(3.0))
        self.register_buffer("scale", torch.rand(3), persistent=False)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, pair: tuple[Tensor, Tensor], power: int, ids: Tensor) -> dict[str, Any]:
        x, y = pair
        self.calls += 1
        moved = self.layer(x + y) * self.scale + self.shift + torch.tensor([1.0, 2.0, 3.0])
        return {"sum": moved**power, "none": None, "rows": [x[ids], ids + 1], "three": 3}


class Unknown(torch.nn.Module):  # type: ignore[misc]
    """What torchax has no operation for, and what JAX does not take."""

    def __init__(self, by_mask: bool) -> None:
        super().__init__()
        self.by_mask = by_mask

    def forward(self, x: Tensor) -> Tensor:
        return x[x > 0].sum() if self.by_mask else torch.special.airy_ai(x.exp()) + 1


def arguments(seed: int) -> tuple[Any, ...]:
    torch.manual_seed(seed)
    pair = torch.randn(5, 4), torch.randn(5, 4).t().contiguous().t()
    return pair, 2, torch.randint(0, 5, (2,))


@unittest.skipUnless(
    util.find_spec("torchax") and util.find_spec("onnxruntime"), "jax and onnxruntime are absent"
)
class Compilers(unittest.TestCase):
    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_each_computes_what_torch_does_call_after_call(self) -> None:
        model = Several().eval()
        for name in COMPILERS:
            by = compiled(model, name)
            for seed in range(3):
                with self.subTest(compiler=name, seed=seed):
                    given = arguments(seed)
                    got, wanted = by(*given), model(*given)
                    torch.testing.assert_close(got["sum"], wanted["sum"])
                    self.assertEqual((got["none"], got["three"]), (None, 3))
                    for one, other in zip(got["rows"], wanted["rows"], strict=True):
                        torch.testing.assert_close(one, other)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_what_compiling_took_is_told_once(self) -> None:
        for name in COMPILERS:
            with self.subTest(compiler=name):
                by = compiled(Several().eval(), name)
                compiling = Compiling(by)
                self.assertEqual(compiling.news(), "")
                begin = time.perf_counter_ns()
                by(*arguments(0))
                whole_ns = time.perf_counter_ns() - begin
                told = json.loads(compiling.news())
                self.assertEqual(told.keys(), {"export_ns", "compile_ns"})
                self.assertGreater(min(told.values()), 0)
                self.assertLessEqual(sum(told.values()), whole_ns)
                by(*arguments(1))
                self.assertEqual(compiling.news(), "")
        self.assertEqual(Compiling().news(), "")

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_xla_names_the_operation_that_stands_in_the_way(self) -> None:
        for by_mask, said in (
            (True, "^aten.index.Tensor: Array boolean indices must be concrete"),
            (False, "^aten.special_airy_ai.default: torchax has no such operation$"),
        ):
            with self.subTest(said=said), self.assertRaisesRegex(NotWritten, said):
                compiled(Unknown(by_mask).eval(), "xla")(torch.randn(5))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_onnxruntime_names_the_operation_that_stands_in_the_way(self) -> None:
        with self.assertRaisesRegex(NotTaken, "^torch.onnx: .*special_airy_ai"):
            compiled(Unknown(by_mask=False).eval(), "onnxruntime")(torch.randn(5))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def test_a_changed_argument_is_refused(self) -> None:
        class Changes(torch.nn.Module):  # type: ignore[misc]
            def forward(self, x: Tensor, y: Tensor) -> Tensor:
                return y.add_(1) + x

        for name in COMPILERS:
            with self.subTest(compiler=name), self.assertRaisesRegex(NotTaken, "an argument"):
                compiled(Changes().eval(), name)(torch.randn(5), torch.randn(5))

    def test_training_is_refused(self) -> None:
        for name in COMPILERS:
            with self.assertRaisesRegex(NotTaken, "eval mode"):
                compiled(Several().train(), name)(*arguments(0))
