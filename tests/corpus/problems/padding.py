"""What is no padding, where -1e9 is."""

import torch
from torch import nn

ROWS, WIDTH = 60, 90
PADDING = -1e9


class Model(nn.Module):
    def forward(self, x):
        return (x > PADDING).sum(1)


def get_inputs():
    return [torch.randn(ROWS, WIDTH).masked_fill(torch.rand(ROWS, WIDTH) < 0.05, PADDING)]


def get_init_inputs():
    return []
