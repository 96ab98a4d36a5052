"""Attention with a mask of fewer dimensions."""

from typing import Any

import torch
from torch import Tensor

from assay_worker.passes.base import Pass

aten = torch.ops.aten
attention = aten.scaled_dot_product_attention.default


def with_whole_mask(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *rest: Any,
    **more: Any,
) -> Any:
    """aten.scaled_dot_product_attention, the mask [..., L, S] with all dimensions of `query`."""
    if attn_mask is None or attn_mask.dim() == query.dim():
        return NotImplemented
    missing = query.dim() - attn_mask.dim()
    whole = attn_mask.reshape([1] * missing + list(attn_mask.shape))
    return attention(query, key, value, whole, *rest, **more)


ATTENTION_MASKS = Pass(
    name="attention_masks",
    why="""The lowering of attention takes its mask for one with as many dimensions as the query,
    and makes shapes that do not fit of one with fewer, which torch broadcasts.""",
    rules={attention: with_whole_mask},
)
