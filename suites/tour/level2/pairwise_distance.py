"""The distance of every row of one matrix to every row of another, and the nearest of each.

Covers: arg reduction, tuple output, product.
"""

import torch
from torch import nn

ROWS, OTHERS, WIDTH = 4096, 3072, 256


class Model(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        squared = x.square().sum(1)[:, None] + y.square().sum(1) - 2.0 * x @ y.T
        distances = squared.clamp(min=0.0).sqrt()
        return distances, distances.argmin(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH), 0.8 * torch.randn(OTHERS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
