"""Compilers of a problem's own model, called as the runner of candidates calls them."""

import unittest
from importlib import util
from typing import Any

import torch
from torch import Tensor

from assay_worker.compilers import COMPILERS, NotTaken, compiled


class Several(torch.nn.Module):  # type: ignore[misc]
    """Containers on both sides, a number, weights, and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.register_buffer("shift", torch.arange(3.0))

    def forward(self, pair: tuple[Tensor, Tensor], ids: Tensor) -> dict[str, Any]:
        x, y = pair
        return {"sum": self.layer(x + y) + self.shift, "rows": [x[ids], ids + 1]}


def arguments(seed: int) -> tuple[Any, ...]:
    torch.manual_seed(seed)
    return (torch.randn(5, 4), torch.randn(5, 4).t().contiguous().t()), torch.randint(0, 5, (2,))


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
                    for one, other in zip(got["rows"], wanted["rows"], strict=True):
                        torch.testing.assert_close(one, other)

    def test_training_is_refused(self) -> None:
        for name in COMPILERS:
            with self.assertRaisesRegex(NotTaken, "eval mode"):
                compiled(Several().train(), name)(*arguments(0))
