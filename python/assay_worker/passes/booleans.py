"""The operator `&`."""

from typing import Any

import torch
from torch import Tensor

from assay_worker.passes.base import Pass

aten = torch.ops.aten


def bitwise_and(a: Tensor, b: Any) -> Tensor:
    """aten.__and__ of integers or booleans; `b` may be a number."""
    return torch.bitwise_and(a, b)


AND = Pass(
    name="and",
    why="""`a & b` is traced as `aten.__and__`, which the dialect has and nothing lowers; `|` goes
    through. `bitwise_and`, which is the same, is lowered for booleans and integers.""",
    rules={aten.__and__.Tensor: bitwise_and, aten.__and__.Scalar: bitwise_and},
)
