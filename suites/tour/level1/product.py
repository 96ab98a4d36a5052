"""A matrix product whose three sizes differ and are no powers of two.

Covers: product.
"""

import torch
from torch import nn

ROWS, INNER, COLUMNS = 384, 640, 272


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
