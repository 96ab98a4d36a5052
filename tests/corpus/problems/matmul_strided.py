"""A product whose second factor is a transposed view."""

import torch
from torch import nn

M, K, N = 33, 64, 64


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(M, K), torch.randn(N, K).t()]


def get_init_inputs():
    return []
