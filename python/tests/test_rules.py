"""What the passes' own rules compute, against what torch does, on random data and its edges."""

import itertools
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import torch
from compiling import difference
from torch import nn
from torch.nn import functional
from torch.utils import _pytree as pytree

from assay_worker.decompose import decompose
from assay_worker.failure import Unsupported
from assay_worker.passes.base import Pass
from assay_worker.passes.table import PASSES
from assay_worker.trail import Trail

REDUCTIONS = ("none", "mean", "sum")


class Function(nn.Module):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any) -> Any:
        return self.function(*arguments)


class Rules(unittest.TestCase):
    """Each program is taken apart in this process, and run by torch: nothing is compiled."""

    def setUp(self) -> None:
        torch.manual_seed(0)
        warnings.filterwarnings("ignore", category=FutureWarning)  # torch's advice to itself

    def same(self, name: str, function: Callable[..., Any], *tensors: torch.Tensor) -> None:
        """`function` computes the same after the pass `name`, which must have fired."""
        trail = Trail()
        with torch.no_grad():
            program = torch.export.export(Function(function), tensors, strict=False)
            program = decompose(program, PASSES, lambda op: True, trail)
            got = pytree.tree_leaves(program.module(check_guards=False)(*tensors))
            wanted = pytree.tree_leaves(function(*tensors))
        self.assertEqual(difference(got, wanted), "")
        self.assertEqual([each["name"] for each in trail.describe([name])["passes"]], [name])

    def test_rules_without_an_end_are_refused(self) -> None:
        aten = torch.ops.aten
        names = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos")
        steps = [getattr(aten, name).default for name in names]
        known = dict(zip(steps, steps[1:], strict=False))
        endless = Pass("endless", "", rule_for=lambda op, _: known.get(op))
        with torch.no_grad():
            program = torch.export.export(Function(torch.sin), (torch.rand(3),), strict=False)
            with self.assertRaisesRegex(Unsupported, r"after 6 rounds there is still aten\.asin$"):
                decompose(program, [endless], lambda op: True, Trail())
            known.popitem()
            known.popitem()
            decompose(program, [endless], lambda op: True, Trail())

    def test_losses_over_classes(self) -> None:
        shapes = ((5,), (4, 5), (2, 5, 3))
        for shape, weighted, smoothing in itertools.product(shapes, (False, True), (0.0, 0.3)):
            scores = torch.randn(shape)
            scores[..., 0] = -200  # a probability of 0 must not make a number that is none
            target = torch.randint(0, 5, shape[:0] if len(shape) == 1 else shape[:1] + shape[2:])
            weight = torch.rand(5) if weighted else None
            ignored = int(target.reshape(-1)[0])

            def losses(s: torch.Tensor, t: torch.Tensor) -> list[torch.Tensor]:
                options: dict[str, Any] = {"label_smoothing": smoothing}
                found = []
                for reduction, ignore in itertools.product(REDUCTIONS, (-100, 2, ignored)):
                    more = {"reduction": reduction, "ignore_index": ignore}
                    found.append(functional.cross_entropy(s, t, weight, **more, **options))
                    found.append(functional.nll_loss(s, t, weight, **more))
                return found

            with self.subTest(shape=shape, weighted=weighted, smoothing=smoothing):
                self.same("class_losses", losses, scores, target)

    def test_all_targets_ignored(self) -> None:
        target = torch.full((4,), -100)
        loss = functional.cross_entropy  # the mean over nothing is no number, the sum is 0
        self.same(
            "class_losses",
            lambda s: (loss(s, target), loss(s, target, reduction="sum")),
            torch.randn(4, 5),
        )

    def test_losses_with_probabilities(self) -> None:
        for shape, weighted, smoothing in itertools.product(
            ((5,), (4, 5), (2, 5, 3)), (False, True), (0.0, 0.3)
        ):
            weight = torch.rand(5) if weighted else None
            dim = min(1, len(shape) - 1)

            def losses(s: torch.Tensor, t: torch.Tensor) -> list[torch.Tensor]:
                return [
                    functional.cross_entropy(s, t, weight, reduction=r, label_smoothing=smoothing)
                    for r in REDUCTIONS
                ]

            with self.subTest(shape=shape, weighted=weighted, smoothing=smoothing):
                target = torch.randn(shape).softmax(dim)
                self.same("class_losses", losses, torch.randn(shape), target)

    def test_instance_norm(self) -> None:
        mean, variance, weight, bias = (torch.rand(3) + 0.5 for _ in range(4))
        for shape in ((2, 3, 7), (2, 3, 4, 5), (2, 3, 4, 3, 2), (1, 3, 1, 2)):
            for given in ((None, None), (weight, None), (weight, bias)):
                for use_input in (True, False):
                    with self.subTest(shape=shape, use_input=use_input):
                        self.same(
                            "instance_norm",
                            lambda x: (
                                functional.instance_norm(
                                    x,
                                    mean,
                                    variance,
                                    *given,
                                    use_input_stats=use_input,
                                    eps=1e-3,
                                )
                                if not use_input
                                else functional.instance_norm(x, None, None, *given)
                            ),
                            torch.randn(shape) * 3 + 1,
                        )

    def test_transposed_convolutions(self) -> None:
        functions = (
            functional.conv_transpose1d,
            functional.conv_transpose2d,
            functional.conv_transpose3d,
        )
        settings = (
            (1, 0, 0, 1),
            (2, 1, 1, 1),
            (3, 2, 1, 2),
            (2, 4, 0, 1),
            (1, 3, 0, 2),
            (3, 0, 2, 3),
        )
        for n, (stride, padding, output_padding, dilation) in itertools.product(
            (1, 2, 3), settings
        ):
            x = torch.randn(2, 3, *(4, 5, 6)[:n])
            weight, bias = torch.randn(3, 1, *(3, 2, 3)[:n]), torch.randn(3)
            for given in (x, x[0]):
                with self.subTest(n=n, stride=stride, padding=padding, batch=given.dim() > n + 1):
                    self.same(
                        "transposed_convolutions",
                        lambda x, w, b: functions[n - 1](
                            x,
                            w,
                            b,
                            stride,
                            padding,
                            output_padding,
                            3,
                            dilation,
                        ),
                        given,
                        weight,
                        bias,
                    )

    def test_depthwise_convolutions(self) -> None:
        for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), ((1, 2, 1), (0, 1, 2), (2, 1, 1))):
            for bias in (None, torch.randn(3)):
                for x in (torch.randn(2, 3, 5, 6, 7), torch.randn(3, 5, 6, 7)):
                    self.same(
                        "depthwise_convolutions",
                        lambda x, w: functional.conv3d(x, w, bias, stride, padding, dilation, 3),
                        x,
                        torch.randn(3, 1, 3, 2, 3),
                    )

    def test_circular_padding(self) -> None:
        for edges in ((1, 2), (0, 4), (3, 0, 1, 1), (1, 1, 2, 0, 0, 3), (-1, 2), (2, -1, 1, 1)):
            x = torch.randn(2, 3, *(4, 5, 4)[: len(edges) // 2])
            with self.subTest(edges=edges):
                pad = functional.pad
                self.same("circular_padding", lambda x: pad(x, edges, mode="circular"), x)

    def test_attention_masks(self) -> None:
        attention = functional.scaled_dot_product_attention
        q, k = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 5, 8)
        for mask in (
            torch.rand(4, 5) > 0.3,
            torch.randn(4, 5),
            torch.randn(3, 4, 5),
            torch.randn(1, 5),
        ):
            self.same("attention_masks", lambda q, k: attention(q, k, k, mask, scale=0.2), q, k)

    def test_sums_of_products(self) -> None:
        for equation, shapes in (
            ("ij->", [(3, 4)]),
            ("iij->j", [(3, 3, 4)]),
            ("bi,ij,jk->bk", [(2, 3), (3, 4), (4, 5)]),
            ("...i,...i,i", [(2, 3), (2, 3), (3,)]),
            ("a,b,c,d->dcba", [(2,), (3,), (4,), (5,)]),
        ):
            tensors = [torch.randn(shape) for shape in shapes]
            with self.subTest(equation=equation):
                self.same("einsum", lambda *t: torch.einsum(equation, *t), *tensors)

    def test_and(self) -> None:
        n = torch.randint(-9, 9, (4, 5))
        self.same("and", lambda n: (n & 6, n & n.flip(0), (n > 0) & (n < 5), (n > 0) & True), n)

    def test_floats_with_integers(self) -> None:
        x = torch.tensor([0.0, 1.0, -1.0, 1.5, float("nan"), float("inf")])
        for number in (0, 1, -1, 2**24 + 1):
            self.same(
                "floats_with_integers",
                lambda x: (x == number, x != number, x < number, x <= number, x > number),
                x,
            )

    def test_fills(self) -> None:
        def filled(x: torch.Tensor) -> list[torch.Tensor]:
            fresh = torch.empty(2, 3).fill_(2.5), x.new_empty(4, dtype=torch.int32).fill_(7)
            return [*fresh, torch.full((2,), True), x.clone().fill_(x.sum()), x.long().fill_(3)]

        self.same("fills", filled, torch.randn(3, 4))


if __name__ == "__main__":
    unittest.main()
