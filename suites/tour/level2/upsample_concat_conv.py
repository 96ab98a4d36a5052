"""Bilinear upsampling, concatenation with a finer image, a convolution: a decoder's step.

Covers: bilinear interpolation, conv 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, COARSE, FINE, OUT_CHANNELS, IMAGE = 4, 64, 24, 32, 80


class Model(nn.Module):
    def __init__(self, coarse: int, fine: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(coarse + fine, out_channels, kernel_size=3, padding=1)

    def forward(self, coarse: torch.Tensor, fine: torch.Tensor) -> torch.Tensor:
        up = F.interpolate(coarse, scale_factor=2.0, mode="bilinear", align_corners=True)
        return F.softplus(self.conv(torch.cat([up, fine], dim=1)))


def get_inputs() -> list[torch.Tensor]:
    coarse = torch.randn(BATCH, COARSE, IMAGE // 2, IMAGE // 2)
    return [coarse, torch.randn(BATCH, FINE, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [COARSE, FINE, OUT_CHANNELS]
