"""A diagonal matrix, written as `torch.diag`, times a full one.

Covers: product, diag.
"""

import torch
from torch import nn

ROWS, COLUMNS = 4096, 6144


class Model(nn.Module):
    def forward(self, diagonal: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
        return torch.diag(diagonal) @ matrix


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
