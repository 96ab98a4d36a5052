"""Layer normalisation of rows so long that random ones are normalised already."""

import torch
from torch import nn

ROWS, WIDTH = 4, 65_536


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs():
    return [WIDTH]
