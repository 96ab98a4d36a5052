"""The Kullback-Leibler divergence of two sets of distributions, averaged over the batch.

Covers: kl divergence.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, CLASSES = 16_384, 8192


class Model(nn.Module):
    def forward(self, log_predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return F.kl_div(log_predicted, wanted, reduction="batchmean")


def get_inputs() -> list[torch.Tensor]:
    log_predicted = torch.randn(ROWS, CLASSES).log_softmax(dim=1)
    return [log_predicted, (2.0 * torch.randn(ROWS, CLASSES)).softmax(dim=1)]


def get_init_inputs() -> list[object]:
    return []
