"""The index of the smallest element along the last dimension; the result is integer only.

Covers: arg reduction, integer output.
"""

import torch
from torch import nn

BATCH, CHANNELS, LENGTH = 48, 256, 8192


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.argmin(x, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs() -> list[object]:
    return []
