"""The nearest of some learned vectors for each row, and its number."""

import torch
from torch import nn

ROWS, WIDTH, CODES = 60, 24, 40


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(CODES, WIDTH))

    def forward(self, x):
        apart = (x**2).sum(1, keepdim=True) + (self.codes**2).sum(1) - 2 * x @ self.codes.t()
        nearest = apart.argmin(1)
        return self.codes[nearest], nearest


def get_inputs():
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs():
    return []
