"""Convolutions in groups of one channel."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from assay_worker.passes.base import Pass, Rule

aten = torch.ops.aten


def _rule(dimensions: int) -> Rule:
    def transposed(
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Sequence[int] = (1,),
        padding: Sequence[int] = (0,),
        output_padding: Sequence[int] = (0,),
        groups: int = 1,
        dilation: Sequence[int] = (1,),
    ) -> Any:
        """aten.conv_transposeNd of x [N, C, d...] or [C, d...], weight [C, K / groups, k...].

        As a convolution of x, with stride - 1 zeros between its elements, with the kernel mirrored.
        """
        if groups == 1 or weight.shape[1] != 1 or x.shape[-dimensions - 1] != groups:
            return NotImplemented
        every = [_all(values, dimensions) for values in (stride, padding, output_padding, dilation)]
        strides, paddings, output_paddings, dilations = every
        batched = x if x.dim() == dimensions + 2 else x.unsqueeze(0)
        for d in range(dimensions):
            batched = _spread(batched, 2 + d, strides[d])
        edges: list[int] = []
        for d in reversed(range(dimensions)):  # `pad` begins with the last dimension
            reach = dilations[d] * (weight.shape[2 + d] - 1) - paddings[d]
            edges += [reach, reach + output_paddings[d]]
        mirrored = weight.flip(list(range(2, 2 + dimensions)))
        convolution = (torch.conv1d, torch.conv2d, torch.conv3d)[dimensions - 1]
        # Negative edges, where the padding is wider than the kernel, cut off.
        result: Tensor = convolution(
            pad(batched, edges), mirrored, bias, dilation=dilations, groups=groups
        )
        return result if x.dim() == dimensions + 2 else result.squeeze(0)

    return transposed


def _all(values: Sequence[int], dimensions: int) -> list[int]:
    return list(values) * dimensions if len(values) == 1 else list(values)


def _spread(x: Tensor, dimension: int, stride: int) -> Tensor:
    """Puts stride - 1 zeros between neighbours along `dimension`."""
    if stride == 1:
        return x
    size = x.shape[dimension]
    wide = x.unsqueeze(dimension + 1)
    wide = pad(wide, [0, 0] * (wide.dim() - dimension - 2) + [0, stride - 1])
    return wide.flatten(dimension, dimension + 1).narrow(dimension, 0, (size - 1) * stride + 1)


def depthwise(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    groups: int = 1,
) -> Any:
    """aten.conv3d with weight [groups, 1, k...]: each result is computed twice, and taken once."""
    if groups == 1 or weight.shape[0] != groups:
        return NotImplemented
    twice = weight.repeat_interleave(2, 0)
    result = torch.conv3d(x, twice, None, stride, padding, dilation, groups)
    result = result.unflatten(-4, (groups, 2)).select(-4, 0)
    return result if bias is None else result + bias.reshape(-1, 1, 1, 1)


DEPTHWISE_CONVOLUTIONS = Pass(
    name="depthwise_convolutions",
    why="""A depthwise convolution over three dimensions is lowered where each channel has
    several results, and not where it has one.""",
    rules={aten.conv3d.default: depthwise},
)

TRANSPOSED_CONVOLUTIONS = Pass(
    name="transposed_convolutions",
    why="""A transposed convolution in groups is lowered only where each group has several channels
    to give. Where each has one, the lowering makes shapes that do not fit, or gives up. As a
    convolution in such groups, which is lowered, it can be written instead.""",
    rules={
        aten.conv_transpose1d.default: _rule(1),
        aten.conv_transpose2d.input: _rule(2),
        aten.conv_transpose3d.input: _rule(3),
    },
)
