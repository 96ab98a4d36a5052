"""A product in double precision."""

import torch
from torch import nn

M, K, N = 40, 130, 50


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(M, K, dtype=torch.float64), torch.randn(K, N, dtype=torch.float64)]


def get_init_inputs():
    return []
