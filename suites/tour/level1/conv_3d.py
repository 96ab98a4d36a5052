"""A convolution of volumes, with a window that is no cube.

Covers: conv 3d.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, DEPTH, IMAGE = 4, 3, 48, 32, 112


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size=(3, 5, 5), stride=(1, 2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
