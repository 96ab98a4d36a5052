"""Operations that compile, in some form, to code that gives another result."""

from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from assay_worker.passes.base import Pass, Rule

aten = torch.ops.aten


def _as_float(op: OpOverload) -> Rule:
    def compare(x: Tensor, number: Any) -> Any:
        if not x.is_floating_point() or type(number) is not int:
            return NotImplemented
        return op(x, float(number))

    return compare


COMPARISONS = tuple(getattr(aten, name).Scalar for name in ("eq", "ne", "lt", "le", "gt", "ge"))

FLOATS_WITH_INTEGERS = Pass(
    name="floats_with_integers",
    why="""Where a tensor of floats is a constant, all elements alike, the compiler works a
    comparison with an integer out by itself, and takes the integer's bits for a float:
    `torch.ones(4) == 1` is false. Torch compares as floats, so the integer can become one here.""",
    rules={op: _as_float(op) for op in COMPARISONS},
)


def fill_scalar(x: Tensor, number: Any) -> Tensor:
    """aten.fill.Scalar: of a new tensor, so the old values are not looked at."""
    return aten.full.default(list(x.shape), number, dtype=x.dtype, device=x.device)


def fill_tensor(x: Tensor, value: Tensor) -> Tensor:
    """aten.fill.Tensor, `value` of no dimensions."""
    return value.to(x.dtype).expand(x.shape).clone()


def _whole(*args: Any, **kwargs: Any) -> Any:
    return NotImplemented


FILLS = Pass(
    name="fills",
    why="""Filling becomes code that runs over the elements of the tensor to be filled. Where that
    is `torch.empty` the compiler drops it, and with it the number of elements: the sum of
    `torch.full((3,), 1.0)` is 1. Turbine takes `full` apart into such a filling, so `full` is left
    whole, and fillings become a `full`.""",
    rules={
        aten.full.default: _whole,
        aten.fill.Scalar: fill_scalar,
        aten.fill.Tensor: fill_tensor,
    },
)
