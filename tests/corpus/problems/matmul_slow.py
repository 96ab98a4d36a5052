"""A product that takes some milliseconds."""

import torch
from torch import nn

M, K, N = 601, 701, 503


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.rand(M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
