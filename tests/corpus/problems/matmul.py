"""A product of odd sizes: every blocking has a tail."""

import torch
from torch import nn

M, K, N = 70, 257, 83


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.rand(M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
