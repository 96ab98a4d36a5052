"""The mean over the middle one of three dimensions, of 5 GB: the sum runs across the rows.

Covers: reduction, several gigabytes.
"""

import torch
from torch import nn

BATCH, MIDDLE, WIDTH = 96, 4096, 3200


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [0.25 + torch.randn(BATCH, MIDDLE, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
