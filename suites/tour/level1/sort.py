"""Rows in descending order, with the permutation that sorts them.

Covers: sort, tuple output.
"""

import torch
from torch import nn

ROWS, LENGTH = 128, 1500


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.sort(x, dim=1, descending=True)
        return values, places


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, LENGTH)]


def get_init_inputs() -> list[object]:
    return []
