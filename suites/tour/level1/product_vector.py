"""A matrix of 4.8 GB times a vector: one multiplication for every four bytes read.

Covers: product, several gigabytes.
"""

import torch
from torch import nn

ROWS, COLUMNS = 147_456, 8_192


class Model(nn.Module):
    def forward(self, matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        return torch.mv(matrix, vector)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS), torch.randn(COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
