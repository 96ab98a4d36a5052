"""Dilated maximum pooling of long signals.

Covers: pooling 1d.
"""

import torch
from torch import nn

BATCH, CHANNELS, LENGTH = 48, 128, 65_536


class Model(nn.Module):
    def __init__(self, window: int, stride: int, dilation: int) -> None:
        super().__init__()
        self.pool = nn.MaxPool1d(window, stride=stride, padding=window // 2, dilation=dilation)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs() -> list[object]:
    return [7, 2, 3]
