"""Product of two lower triangular matrices."""

import torch
from torch import nn

N = 67


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(torch.matmul(a, b))


def shaped(a, b):
    return [torch.tril(a), torch.tril(b)]


def get_inputs():
    return shaped(torch.rand(N, N), torch.rand(N, N))


def get_init_inputs():
    return []
