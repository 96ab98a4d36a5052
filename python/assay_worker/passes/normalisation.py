"""Normalisation over each sample's own statistics."""

import torch
from torch import Tensor

from assay_worker.passes.base import Pass


def instance_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """aten.instance_norm of x [N, C, d...]: each channel of each sample by its own statistics.

    Without `use_input_stats` by the running ones, [C]; with it those that are given move towards
    the mean over the samples, in place.
    """
    per_channel = [1, x.shape[1]] + [1] * (x.dim() - 2)
    # Half a precision is enough for what goes in and out, and not for sums of squares.
    wide = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    if use_input_stats:
        variance, mean = torch.var_mean(wide, list(range(2, x.dim())), correction=0, keepdim=True)
        if running_mean is not None:
            _move(running_mean, mean, momentum)
        if running_var is not None:
            elements = x.numel() // (x.shape[0] * x.shape[1])
            _move(running_var, variance * (elements / (elements - 1)), momentum)
    else:
        assert running_mean is not None and running_var is not None  # torch has checked that
        mean, variance = running_mean.reshape(per_channel), running_var.reshape(per_channel)
    result = (wide - mean) * torch.rsqrt(variance + eps)
    if weight is not None:
        result = result * weight.reshape(per_channel)
    if bias is not None:
        result = result + bias.reshape(per_channel)
    return result.to(x.dtype)


def _move(running: Tensor, of_samples: Tensor, momentum: float) -> None:
    """Takes statistics of every sample, [N, C, 1...], into `running`, [C]."""
    news = of_samples.reshape(of_samples.shape[:2]).mean(0).to(running.dtype)
    running.copy_(running * (1 - momentum) + news * momentum)


INSTANCE_NORM = Pass(
    name="instance_norm",
    why="""The compiler's lowering of `instance_norm` takes absent weights and running statistics
    for tensors: an error where it is lucky, an abort of its process where not. Torch's own kernel
    ends in a batch norm of another shape, which is more work than the few operations here.""",
    rules={torch.ops.aten.instance_norm.default: instance_norm},
)
