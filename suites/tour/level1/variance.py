"""The unbiased variance of every channel of every image, around a mean that is far from zero.

Covers: reduction.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 32, 64, 448


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.var(x, dim=(2, 3), correction=1)


def get_inputs() -> list[torch.Tensor]:
    spread = torch.rand(BATCH, CHANNELS, 1, 1) + 0.5
    return [4.0 + spread * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return []
