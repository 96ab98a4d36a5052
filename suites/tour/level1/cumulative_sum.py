"""The sums of all suffixes of a row: flip, cumulative sum, flip.

Covers: cumulative sum, flip.
"""

import torch
from torch import nn

ROWS, LENGTH = 8192, 32_768


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.flip(1).cumsum(dim=1).flip(1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, LENGTH)]


def get_init_inputs() -> list[object]:
    return []
