"""The products of all prefixes, of factors close to one.

Covers: cumulative product.
"""

import torch
from torch import nn

ROWS, LENGTH = 2048, 768


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumprod(x, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [1.0 + 0.03 * torch.randn(ROWS, LENGTH)]


def get_init_inputs() -> list[object]:
    return []
