"""A linear layer whose result is scaled, shifted and clamped in place, then added to the input.

Covers: in-place operator, product.
"""

import torch
from torch import nn

ROWS, WIDTH = 2048, 8192


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = nn.Parameter(0.5 + torch.rand(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        y.mul_(self.scale).sub_(0.25)
        y.clamp_(min=-0.5, max=0.75)
        y += x
        return y


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH]
