"""One filter per channel, with stride.

Covers: depthwise convolution, strided convolution.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 32, 144, 224


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride=2, padding=1, groups=channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS]
