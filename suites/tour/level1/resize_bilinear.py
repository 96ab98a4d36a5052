"""Bilinear resizing by factors that are no whole numbers and differ.

Covers: bilinear interpolation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 8, 64, 96, 128
OUT_HEIGHT, OUT_WIDTH = 224, 200


class Model(nn.Module):
    def __init__(self, height: int, width: int) -> None:
        super().__init__()
        self.size = (height, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x, size=self.size, mode="bilinear", align_corners=False)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return [OUT_HEIGHT, OUT_WIDTH]
