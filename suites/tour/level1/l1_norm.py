"""Rows divided by the mean of their absolute values.

Covers: l1 norm.
"""

import torch
from torch import nn

ROWS, WIDTH = 8192, 49_152


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / x.abs().mean(dim=1, keepdim=True)


def get_inputs() -> list[torch.Tensor]:
    return [(torch.rand(ROWS, 1) + 0.5) * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
