"""A linear layer on eight-bit grids: weights per row, activations per tensor, both rounded.

Covers: reduction, product.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, IN_WIDTH, OUT_WIDTH, LEVELS = 512, 2048, 1536, 127


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int, levels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_width, in_width) / in_width**0.5)
        self.levels = levels

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight_step = self.weight.abs().amax(dim=1, keepdim=True) / self.levels
        x_step = x.abs().max() / self.levels
        weight = torch.round(self.weight / weight_step).clamp(-self.levels, self.levels)
        whole = torch.round(x / x_step).clamp(-self.levels, self.levels)
        return F.linear(whole * x_step, weight * weight_step)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH, LEVELS]
