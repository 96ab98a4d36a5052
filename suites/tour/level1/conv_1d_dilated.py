"""A convolution of long signals, with stride and dilation.

Covers: conv 1d, dilated convolution, strided convolution.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, LENGTH = 32, 48, 80, 131_072


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size=5, stride=3, dilation=4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
