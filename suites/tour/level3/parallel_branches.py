"""Four branches over one image, of four window sizes, side by side in the result.

Covers: conv 2d, pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, IMAGE = 8, 192, 28


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.point = nn.Conv2d(channels, 64, 1)
        self.reduce3, self.conv3 = nn.Conv2d(channels, 96, 1), nn.Conv2d(96, 128, 3, padding=1)
        self.reduce5, self.conv5 = nn.Conv2d(channels, 16, 1), nn.Conv2d(16, 48, 5, padding=2)
        self.pooled = nn.Conv2d(channels, 32, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        branches = [
            self.point(x),
            self.conv3(F.relu(self.reduce3(x))),
            self.conv5(F.relu(self.reduce5(x))),
            self.pooled(F.max_pool2d(x, kernel_size=3, stride=1, padding=1)),
        ]
        return F.leaky_relu(torch.cat(branches, dim=1), 0.1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS]
