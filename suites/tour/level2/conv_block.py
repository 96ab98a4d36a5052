"""A convolution, batch normalisation, SiLU and average pooling: one stage of an image network.

Covers: conv 2d, batch norm, activation, pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IMAGE = 4, 56
IN_CHANNELS, OUT_CHANNELS = 24, 48


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(out_channels)
        # Fresh running statistics are 0 and 1: with them, normalising would compute nothing.
        nn.init.normal_(self.norm.running_mean, std=0.3)
        nn.init.uniform_(self.norm.running_var, 0.5, 2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.avg_pool2d(F.silu(self.norm(self.conv(x))), kernel_size=2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
