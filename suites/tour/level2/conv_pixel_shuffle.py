"""Super-resolution's last step: a convolution into sub-pixels, and their shuffle into an image.

Covers: conv 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FACTOR = 4, 48, 120, 160, 3


class Model(nn.Module):
    def __init__(self, channels: int, factor: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 3 * factor**2, kernel_size=3, padding=1)
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(F.pixel_shuffle(self.conv(x), self.factor))


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, FACTOR]
