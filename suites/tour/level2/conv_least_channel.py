"""A convolution, the least of its channels at each pixel, tanh, and which channel that was.

Covers: conv 2d, arg reduction, tuple output.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, IMAGE = 8, 16, 48, 128


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        least, channel = torch.min(self.conv(x), dim=1)
        return torch.tanh(least), channel


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
