"""The symmetric part of a matrix times another matrix.

Covers: product.
"""

import torch
from torch import nn

SIZE, COLUMNS = 4096, 2560


class Model(nn.Module):
    def forward(self, matrix: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return 0.5 * (matrix + matrix.mT) @ b


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(SIZE, SIZE), torch.randn(SIZE, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
