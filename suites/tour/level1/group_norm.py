"""Normalisation of groups of channels, with learned scale and shift.

Covers: group norm.
"""

import torch
from torch import nn

BATCH, CHANNELS, GROUPS, IMAGE = 72, 64, 8, 256


class Model(nn.Module):
    def __init__(self, groups: int, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE) - 0.5]


def get_init_inputs() -> list[object]:
    return [GROUPS, CHANNELS]
