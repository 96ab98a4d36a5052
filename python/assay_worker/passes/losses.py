"""Losses over classes: cross entropy and negative log likelihood."""

import torch
from torch import Tensor

from assay_worker.passes.base import Pass

aten = torch.ops.aten

NONE, MEAN, SUM = 0, 1, 2  # at::Reduction


def cross_entropy(
    logits: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = MEAN,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """aten.cross_entropy_loss: logits [C], [N, C] or [N, C, d...].

    `target` has either probabilities and the shape of `logits`, or classes and that without C.
    """
    dim = _class_dimension(logits)
    classes = logits.shape[dim]
    log_probability = torch.log_softmax(logits, dim)
    if target.shape == logits.shape:
        if label_smoothing > 0:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        loss = -(_weighted(log_probability, weight, dim) * target).sum(dim)
        # The mean is one over samples: not over classes, and not over weights.
        return loss.mean() if reduction == MEAN else _reduced(loss, None, reduction)
    loss, scale = _negative_log_likelihood(log_probability, target, weight, ignore_index)
    if label_smoothing > 0:
        smooth = -_weighted(log_probability, weight, dim).sum(dim)
        smooth = torch.where(target != ignore_index, smooth, 0.0)
        loss = loss * (1 - label_smoothing) + smooth * (label_smoothing / classes)
    return _reduced(loss, scale, reduction)


def nll_loss(
    log_probability: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = MEAN,
    ignore_index: int = -100,
) -> Tensor:
    """aten.nll_loss_nd: shapes as for `cross_entropy`, with classes as target."""
    loss, scale = _negative_log_likelihood(log_probability, target, weight, ignore_index)
    return _reduced(loss, scale, reduction)


def _negative_log_likelihood(
    log_probability: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """The weighted loss of each sample, and its weight: both 0 where the target is to be ignored.

    Both have the target's shape.
    """
    dim = _class_dimension(log_probability)
    kept = target != ignore_index
    index = torch.where(kept, target, 0).to(torch.int64)  # what is ignored may be no class at all
    picked = log_probability.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    scale = torch.ones_like(picked)
    if weight is not None:
        scale = weight.index_select(0, index.reshape(-1)).reshape(index.shape)
    # Chosen, not multiplied by 0: an infinite log probability that is ignored must not give NaN.
    return torch.where(kept, -picked * scale, 0.0), torch.where(kept, scale, 0.0)


def _reduced(loss: Tensor, scale: Tensor | None, reduction: int) -> Tensor:
    if reduction == NONE:
        return loss
    if reduction == SUM or scale is None:
        return loss.sum()
    return loss.sum() / scale.sum()


def _weighted(log_probability: Tensor, weight: Tensor | None, dim: int) -> Tensor:
    if weight is None:
        return log_probability
    shape = [1] * log_probability.dim()
    shape[dim] = -1
    return log_probability * weight.reshape(shape)


def _class_dimension(scores: Tensor) -> int:
    return 0 if scores.dim() == 1 else 1


CLASS_LOSSES = Pass(
    name="class_losses",
    why="""The compiler does not lower `cross_entropy_loss`, and neither what torch takes it apart
    into: an index with arange. Here the target's log probability is gathered instead.""",
    rules={
        aten.cross_entropy_loss.default: cross_entropy,
        aten.nll_loss_nd.default: nll_loss,
    },
)
