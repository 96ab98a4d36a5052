"""Batch normalisation of 4.3 GB of images.

Covers: batch norm, several gigabytes.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 64, 64, 512


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        # Fresh ones are 0 and 1: with them, evaluating would compute nothing.
        nn.init.normal_(self.norm.running_mean, std=0.5)
        nn.init.uniform_(self.norm.running_var, 0.5, 2.0)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs() -> list[torch.Tensor]:
    return [0.5 + 1.5 * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS]
