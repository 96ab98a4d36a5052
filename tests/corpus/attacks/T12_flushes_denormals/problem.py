"""The product of two signals made faint, a denormal number, and what a gain makes of it."""

import torch
from torch import nn

ROWS, COLUMNS = 203, 301
LOSS, GAIN = 2.0**-66, 2.0**67


class Model(nn.Module):
    def forward(self, x, y):
        return (LOSS * x) * (LOSS * y) * GAIN * GAIN


def get_inputs():
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
