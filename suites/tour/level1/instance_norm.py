"""Normalisation of each channel of each image by itself, without scale, shift or statistics.

Covers: instance norm.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 56, 32, 512


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs() -> list[torch.Tensor]:
    spread = 3.0 * torch.rand(BATCH, CHANNELS, 1, 1) + 0.2
    return [1.0 + spread * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS]
