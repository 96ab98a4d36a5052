"""Weights that fall off as a bell does, times numbers."""

import torch
from torch import nn

ROWS, COLUMNS = 33, 41


class Model(nn.Module):
    def forward(self, x, y):
        return y * torch.exp(-x * x)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
