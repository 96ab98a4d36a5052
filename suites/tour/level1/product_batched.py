"""Many matrix products of one size, with a constant number of rows that is no multiple of 16.

Covers: product.
"""

import torch
from torch import nn

BATCH, ROWS, INNER, COLUMNS = 128, 500, 1024, 768


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.bmm(a, b)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, ROWS, INNER), torch.randn(BATCH, INNER, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
