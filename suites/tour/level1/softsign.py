"""Softsign, x / (1 + |x|).

Covers: activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 1536, 262_144


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.softsign(x)


def get_inputs() -> list[torch.Tensor]:
    return [5.0 * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
