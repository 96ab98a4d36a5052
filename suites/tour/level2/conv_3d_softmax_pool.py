"""A convolution of volumes, softmax over its channels, two poolings.

Covers: conv 3d, softmax, pooling 3d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, DEPTH, IMAGE = 8, 4, 20, 24, 48


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size=3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.softmax(2.0 * self.conv(x), dim=1)
        return F.avg_pool3d(F.max_pool3d(y, kernel_size=2), kernel_size=2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
