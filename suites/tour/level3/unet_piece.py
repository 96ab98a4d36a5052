"""Down and up again: two levels of a U-Net, with skips, pooling and transposed convolutions.

Covers: U-Net, transposed conv 2d, group norm, pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN_CHANNELS, CHANNELS, CLASSES, HEIGHT, WIDTH = 2, 3, 32, 5, 96, 128


class Twice(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.norm1 = nn.GroupNorm(8, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.norm2 = nn.GroupNorm(8, out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.silu(self.norm2(self.conv2(F.silu(self.norm1(self.conv1(x))))))


class Model(nn.Module):
    def __init__(self, in_channels: int, channels: int, classes: int) -> None:
        super().__init__()
        self.down1 = Twice(in_channels, channels)
        self.down2 = Twice(channels, 2 * channels)
        self.bottom = Twice(2 * channels, 4 * channels)
        self.grow2 = nn.ConvTranspose2d(4 * channels, 2 * channels, kernel_size=2, stride=2)
        self.up2 = Twice(4 * channels, 2 * channels)
        self.grow1 = nn.ConvTranspose2d(2 * channels, channels, kernel_size=2, stride=2)
        self.up1 = Twice(2 * channels, channels)
        self.head = nn.Conv2d(channels, classes, kernel_size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        fine = self.down1(x)
        middle = self.down2(F.max_pool2d(fine, 2))
        y = self.bottom(F.max_pool2d(middle, 2))
        y = self.up2(torch.cat([middle, self.grow2(y)], dim=1))
        y = self.up1(torch.cat([fine, self.grow1(y)], dim=1))
        return self.head(y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, CHANNELS, CLASSES]
