"""Average pooling whose windows reach over the edge, where fewer elements are averaged.

Covers: pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 16, 96, 255, 320


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.avg_pool2d(x, kernel_size=5, stride=2, padding=2, count_include_pad=False)


def get_inputs() -> list[torch.Tensor]:
    return [1.0 + torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
