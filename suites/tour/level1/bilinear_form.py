"""One bilinear form per output, as a single einsum of three tensors.

Covers: einsum of three tensors.
"""

import torch
from torch import nn

BATCH, LEFT, RIGHT, OUT = 256, 192, 160, 96


class Model(nn.Module):
    def __init__(self, left: int, right: int, out: int) -> None:
        super().__init__()
        self.form = nn.Parameter(torch.randn(out, left, right) / (left * right) ** 0.5)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.einsum("bl,olr,br->bo", x, self.form, y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, LEFT), torch.randn(BATCH, RIGHT)]


def get_init_inputs() -> list[object]:
    return [LEFT, RIGHT, OUT]
