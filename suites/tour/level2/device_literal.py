"""Inputs, weights and a mask on "cuda", written out: without data, no such device is needed.

Covers: device in the problem, boolean operation.
"""

import torch
from torch import nn

ROWS, IN_WIDTH, OUT_WIDTH = 384, 768, 512


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width).to("cuda")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        even = torch.arange(y.shape[1], device="cuda") % 2 == 0
        return torch.where(even, y, -2.0 * y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, IN_WIDTH, device="cuda")]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH]
