"""A GRU of three layers over 512 steps, from a state that is an input.

Covers: GRU, tuple output.
"""

import torch
from torch import nn

BATCH, STEPS, WIDTH, HIDDEN, LAYERS = 8, 512, 64, 256, 3


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.gru = nn.GRU(width, hidden, layers)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.gru(x, h)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(STEPS, BATCH, WIDTH), torch.randn(LAYERS, BATCH, HIDDEN)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN, LAYERS]
