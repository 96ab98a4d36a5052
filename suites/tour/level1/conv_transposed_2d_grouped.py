"""A transposed convolution in groups, which doubles an image.

Covers: transposed conv 2d, grouped transposed convolution.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS, IMAGE = 8, 64, 96, 4, 64


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, groups: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size=4, stride=2, padding=1, groups=groups
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS, GROUPS]
