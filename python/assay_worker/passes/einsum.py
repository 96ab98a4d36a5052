"""Sums of products of one operand, or more than two."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._export.utils import _get_decomp_for_cia

from assay_worker.passes.base import Pass

aten = torch.ops.aten

# Looked up here: while a program is decomposed, torch would give the rule below.
_pair_by_pair = _get_decomp_for_cia(aten.einsum.default)


def einsum(equation: str, operands: Sequence[Tensor], **options: Any) -> Any:
    """aten.einsum, pair by pair, where there are not just two operands."""
    if len(operands) == 2:
        return NotImplemented
    return _pair_by_pair(equation, operands, **options)


EINSUM = Pass(
    name="einsum",
    why="""The compiler lowers sums of products of two operands, and well. More of them, or one with
    a sum over all its dimensions, often end in an error. Torch takes them pair by pair, left to
    right or along the path that is asked for.""",
    rules={aten.einsum.default: einsum},
)
