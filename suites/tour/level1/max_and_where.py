"""The largest element along a dimension and where it stands: a tuple of floats and of integers.

Covers: reduction, arg reduction, tuple output.
"""

import torch
from torch import nn

BATCH, MIDDLE, WIDTH = 64, 4096, 1536


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.max(x, dim=1)
        return values, places


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, MIDDLE, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
