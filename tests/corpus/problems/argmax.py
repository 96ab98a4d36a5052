"""The index of the largest element of each row: the first of equal ones."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 500


class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.rand(ROWS, COLUMNS)]


def get_init_inputs():
    return []
