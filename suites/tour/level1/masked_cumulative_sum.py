"""A cumulative sum that passes over the elements a boolean input leaves out.

Covers: cumulative sum, boolean input.
"""

import torch
from torch import nn

ROWS, LENGTH = 4096, 16_384


class Model(nn.Module):
    def forward(self, x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x * keep, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, LENGTH), torch.rand(ROWS, LENGTH) < 0.7]


def get_init_inputs() -> list[object]:
    return []
