"""The product along a dimension, of factors close to one: it neither vanishes nor overflows.

Covers: reduction.
"""

import torch
from torch import nn

BATCH, LENGTH, WIDTH = 64, 192, 2048


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.prod(x, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [1.0 + 0.06 * torch.randn(BATCH, LENGTH, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
