"""Two linear layers with nothing between them, wide in the middle."""

import torch
from torch import nn

ROWS, IN, MIDDLE, OUT = 203, 37, 701, 29


class Model(nn.Module):
    def __init__(self, inputs, middle, outputs):
        super().__init__()
        self.up = nn.Linear(inputs, middle)
        self.down = nn.Linear(middle, outputs)

    def forward(self, x):
        return self.down(self.up(x))


def get_inputs():
    return [torch.randn(ROWS, IN)]


def get_init_inputs():
    return [IN, MIDDLE, OUT]
