"""What may be computed a few rows at a time, and what not."""

import unittest

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker import kernelbench
from assay_worker.chunks import plan
from assay_worker.settings import Settings

TARGET_BYTES = 100_000


def problem(
    forward: str,
    inputs: str = "torch.randn(1000, 64)",
    init: str = "pass",
    before: str = "",
) -> bytes:
    return f"""
import torch
import torch.nn.functional as F
from torch import nn
{before}
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
    def forward(self, x, y=None, z=None):
        {forward}
def get_inputs():
    return [{inputs}]
def get_init_inputs():
    return []
""".encode()


IMAGES = "torch.randn(16, 4, 32, 32)"
HEADS = "torch.randn(8, 4, 16, 32)"

APART = {
    "relu": problem("return torch.relu(x)"),
    "softmax": problem("return torch.softmax(x, 1)"),
    "row means": problem("return x - x.mean(-1, keepdim=True)"),
    "one dimension": problem("return F.gelu(x)", "torch.randn(100_000)"),
    "linear in three dimensions": problem(
        "return self.f(x)", "torch.randn(100, 7, 64)", "self.f = nn.Linear(64, 32)"
    ),
    "product with one matrix": problem("return x @ y", "torch.randn(999, 99), torch.randn(99, 99)"),
    "square product": problem("return x @ y", "torch.randn(300, 300), torch.randn(300, 300)"),
    "convolution": problem("return self.f(x).relu_()", IMAGES, "self.f = nn.Conv2d(4, 8, 3)"),
    "batch norm": problem("return self.f(x)", IMAGES, "self.f = nn.BatchNorm2d(4)"),
    "group norm": problem("return self.f(x)", IMAGES, "self.f = nn.GroupNorm(2, 4)"),
    "layer norm": problem("return self.f(x)", init="self.f = nn.LayerNorm(64)"),
    "pool": problem("return F.max_pool2d(x, 2)", IMAGES),
    "attention": problem("return F.scaled_dot_product_attention(x, y, z)", ", ".join([HEADS] * 3)),
    "attention by hand": problem(
        "return torch.softmax(x @ y.transpose(2, 3) / 4, -1) @ z", ", ".join([HEADS] * 3)
    ),
    "cumulative sum": problem("return x.cumsum(1)"),
    "flattened": problem("return x.view(-1) * 2"),
    "two outputs": problem("return torch.max(x, dim=1)"),
    "whole numbers": problem("return torch.argmax(x, 1)"),
    "other strides": problem("return x * 2", "torch.randn(64, 1000).t()"),
    "counts, and is put back": problem("self.n += 1; return x * self.n", init="self.n = 0"),
    "a table": problem("return x * TABLE", before="TABLE = torch.arange(64.0)"),
    "embedding": problem(
        "return self.f(x)", "torch.randint(0, 9, (500, 20))", "self.f = nn.Embedding(9, 32)"
    ),
}

TOGETHER = {
    "softmax over rows": problem("return torch.softmax(x, 0)"),
    "mean of all": problem("return x - x.mean()"),
    "by the number of rows": problem("return x / x.shape[0]"),
    "by a tensor of it": problem("return x * torch.full((64,), float(x.shape[0]))"),
    "as many rows decide": problem("return x * 2 if x.shape[0] > 500 else x * 3"),
    "caught": problem(
        """
        try:
            largest = x.max()
        except BaseException:
            largest = 1.0
        return x * largest"""
    ),
    "second factor": problem("return y @ x", "torch.randn(300, 300), torch.randn(300, 300)"),
    "loss": problem("return F.mse_loss(x, y)", "torch.randn(999, 64), torch.randn(999, 64)"),
    "in place": problem("return x.relu_()"),
    "reversed": problem("return x.flip(0)"),
    "transposed": problem("return x.t().contiguous()"),
    "shifted by one": problem("return x.view(-1).roll(1).view_as(x)"),
    "by place": problem("return x + self.p", init="self.p = nn.Parameter(torch.randn(1000, 1))"),
    "by place, sliced": problem(
        "return x + self.p[: x.shape[0]]", init="self.p = nn.Parameter(torch.randn(2000, 1))"
    ),
    "by place, counted": problem("return x + torch.arange(x.shape[0]).view(-1, 1)"),
    "first row": problem("return x * x[0]"),
    "random": problem("return x + torch.rand(64)"),
    "batch norm in training": problem(
        "return self.f(x)", IMAGES, "self.f = nn.BatchNorm2d(4, track_running_stats=False)"
    ),
    "state": problem(
        "self.seen.add_(1); return x * self.seen",
        init="self.register_buffer('seen', torch.zeros(1))",
    ),
    "gathered": problem("return x[y]", "torch.randn(999, 64), torch.randint(0, 999, (999,))"),
    "sequence first": problem(
        "return self.f(x)[0]", "torch.randn(100, 4, 64)", "self.f = nn.GRU(64, 8)"
    ),
    "lower triangle": problem("return torch.tril(x)", "torch.randn(300, 300)"),
    "one row of output": problem("return x.sum(0, keepdim=True)"),
    "in any order": problem("return torch.topk(x, 3, dim=1)"),
    "repeated": problem("return x.repeat(2, 1)"),
    "joined": problem("return torch.cat([x, y])", "torch.randn(999, 64), torch.randn(999, 64)"),
    "small": problem("return x", "torch.randn(10, 10)"),
    "one row": problem("return x * 2", "torch.randn(1, 100_000)"),
    "a number": problem("return x * 2, 3"),
}


class Chunks(unittest.TestCase):
    def test_what_is_apart_is_the_same_in_chunks(self) -> None:
        for name, source in APART.items():
            with self.subTest(name=name), torch.no_grad():
                found = plan(Settings(source, "/x.py"), TARGET_BYTES)
                self.assertNotIn("why", found)
                self.assertLess(found["rows"], found["of"])
                self._compare(source, found)

    def _compare(self, source: bytes, found: dict[str, object]) -> None:
        """Computes the whole and each chunk with values, in double."""
        loaded = kernelbench.load(source, "/x.py")
        assert loaded.get_inputs is not None
        model = loaded.build(lambda: None).double().eval()
        inputs = [x.double() if x.is_floating_point() else x for x in loaded.get_inputs()]
        whole = _results(model(*inputs))
        rows, of, groups = found["rows"], found["of"], found["groups"]
        assert isinstance(rows, int) and isinstance(of, int) and isinstance(groups, list)
        for first in range(0, of, rows):
            count = min(rows, of - first)
            if hasattr(model, "n"):
                model.n = 0
            part = [
                x.narrow(0, first, count) if n in found["inputs"] else x  # type: ignore[operator]
                for n, x in enumerate(inputs)
            ]
            for a, b, group in zip(whole, _results(model(*part)), groups, strict=True):
                torch.testing.assert_close(
                    a.narrow(0, first * group, count * group), b, rtol=1e-11, atol=1e-11
                )

    def test_what_is_not_apart_is_computed_at_once(self) -> None:
        for name, source in TOGETHER.items():
            with self.subTest(name=name), torch.no_grad():
                self.assertIn("why", plan(Settings(source, "/x.py"), TARGET_BYTES))

    def test_training_is_told_from_evaluation(self) -> None:
        source = APART["batch norm"]
        with torch.no_grad():
            self.assertIn("why", plan(Settings(source, "/x.py", train=True), TARGET_BYTES))

    def test_what_all_rows_share_does_not_make_chunks_tiny(self) -> None:
        with torch.no_grad():
            found = plan(Settings(APART["square product"], "/x.py"), 1000)
        self.assertGreaterEqual(found["rows"], 100)


def _results(given: object) -> list[Tensor]:
    return [x for x in pytree.tree_leaves(given) if isinstance(x, Tensor)]


if __name__ == "__main__":
    unittest.main()
