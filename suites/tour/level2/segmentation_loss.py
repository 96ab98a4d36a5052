"""Cross entropy per pixel, between class planes and an image of class indices.

Covers: cross entropy, conv 2d, integer input.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, CLASSES, HEIGHT, WIDTH = 4, 32, 21, 96, 128


class Model(nn.Module):
    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.head = nn.Conv2d(channels, classes, kernel_size=1)

    def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.head(x), classes, reduction="none")


def get_inputs() -> list[torch.Tensor]:
    classes = torch.randint(0, CLASSES, (BATCH, HEIGHT, WIDTH))
    return [3.0 * torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH), classes]


def get_init_inputs() -> list[object]:
    return [CHANNELS, CLASSES]
