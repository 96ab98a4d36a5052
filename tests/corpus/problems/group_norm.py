"""Normalisation of groups of channels, with a weight for each channel."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, GROUPS, CHANNELS, HEIGHT, WIDTH = 3, 5, 15, 9, 7


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return F.group_norm(x, self.groups, self.weight, self.bias, 1e-3)


def get_inputs():
    return [torch.rand(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [GROUPS, CHANNELS]
