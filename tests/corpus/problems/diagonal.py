"""A diagonal matrix, made of a vector, times a matrix."""

import torch
from torch import nn

N = 47
COLUMNS = 31


class Model(nn.Module):
    def forward(self, a, b):
        return torch.diag(a) @ b


def get_inputs():
    return [torch.rand(N), torch.rand(N, COLUMNS)]


def get_init_inputs():
    return []
