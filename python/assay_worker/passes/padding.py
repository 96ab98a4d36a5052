"""Circular padding."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from assay_worker.passes.base import Pass

aten = torch.ops.aten


def pad(x: Tensor, edges: Sequence[int], mode: str = "constant", value: Any = None) -> Any:
    """aten.pad, `mode` circular: `edges` has (before, after) from the last dimension on."""
    if mode != "circular":
        return NotImplemented
    for n in range(len(edges) // 2):
        dimension = x.dim() - 1 - n
        before, after = edges[2 * n], edges[2 * n + 1]
        size = x.shape[dimension]
        # A negative edge cuts off. Torch takes what is put on from the tensor that is left.
        kept = x.narrow(dimension, max(-before, 0), size - max(-before, 0) - max(-after, 0))
        parts = [kept]
        if before > 0:
            parts.insert(0, kept.narrow(dimension, kept.shape[dimension] - before, before))
        if after > 0:
            parts.append(kept.narrow(dimension, 0, after))
        x = torch.cat(parts, dimension)
    return x


CIRCULAR_PADDING = Pass(
    name="circular_padding",
    why="""The dialect has one operation for all ways of padding, and the compiler lowers the others
    only. What circular padding adds is a copy of the other end.""",
    rules={aten.pad.default: pad},
)
