"""Maximum pooling of volumes.

Covers: pooling 3d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, DEPTH, IMAGE = 8, 24, 64, 96


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.max_pool3d(x, kernel_size=3, stride=2, padding=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, DEPTH, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return []
