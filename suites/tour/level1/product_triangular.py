"""The product of two lower triangular matrices, whose upper half is zero in the result too.

Covers: product.
"""

import torch
from torch import nn

SIZE = 4096


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.tril(torch.tril(a) @ torch.tril(b))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE)]


def get_init_inputs() -> list[object]:
    return []
