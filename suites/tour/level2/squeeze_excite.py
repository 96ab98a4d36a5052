"""Channels of an image weighed by what the whole image holds.

Covers: reduction, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, SQUEEZED, IMAGE = 16, 256, 16, 56


class Model(nn.Module):
    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(channels, squeezed)
        self.excite = nn.Linear(squeezed, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        means = F.adaptive_avg_pool2d(x, 1).flatten(1)
        weights = torch.sigmoid(self.excite(F.relu(self.squeeze(means))))
        return x * weights[:, :, None, None]


def get_inputs() -> list[torch.Tensor]:
    # Every channel has a mean of its own, or all would be weighed alike.
    return [6.0 * torch.randn(BATCH, CHANNELS, 1, 1) + torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, SQUEEZED]
