"""Rows divided by their Euclidean length.

Covers: l2 norm.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 65_536, 384


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.normalize(x, p=2.0, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [(torch.rand(ROWS, 1) + 0.5) * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
