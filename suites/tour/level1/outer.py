"""The outer product of two vectors: 1.8 GB are written and nearly nothing is read.

Covers: product.
"""

import torch
from torch import nn

ROWS, COLUMNS = 24_576, 18_432


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.outer(a, b)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS), torch.randn(COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
