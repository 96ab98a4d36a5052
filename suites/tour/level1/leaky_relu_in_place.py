"""Leaky ReLU that overwrites its argument, as `inplace=True` in front of a network does.

Covers: activation, in-place operator.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, IMAGE = 16, 96, 112


class Model(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(x, negative_slope=self.slope, inplace=True)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [0.07]
