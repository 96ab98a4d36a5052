"""Both factors of a product are stored the other way round, and the inner dimension is long.

Covers: product.
"""

import torch
from torch import nn

ROWS, INNER, COLUMNS = 320, 196_608, 448


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.T @ b.T


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(INNER, ROWS), torch.randn(COLUMNS, INNER)]


def get_init_inputs() -> list[object]:
    return []
