"""A convolution in groups, dilated.

Covers: grouped convolution, dilated convolution.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS, IMAGE = 8, 96, 192, 6, 96


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, groups: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size=3, padding=2, dilation=2, groups=groups
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS, GROUPS]
