"""Batch normalisation by running statistics that are not zero and one."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, LENGTH = 16, 24, 50


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))
        self.register_buffer("mean", torch.randn(channels))
        self.register_buffer("variance", torch.rand(channels) + 0.25)

    def forward(self, x):
        return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, False, 0.1, 1e-5)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS]
