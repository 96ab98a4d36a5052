"""A tall, narrow matrix times a small one: the time goes into reading 1.3 GB once.

Covers: product.
"""

import torch
from torch import nn

ROWS, INNER, COLUMNS = 1_048_576, 320, 24


class Model(nn.Module):
    def forward(self, tall: torch.Tensor, small: torch.Tensor) -> torch.Tensor:
        return tall @ small


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
