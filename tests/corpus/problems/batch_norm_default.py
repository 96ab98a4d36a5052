"""Batch normalisation as torch makes it: mean and shift of zero, variance and scale of one."""

import torch
from torch import nn

BATCH, CHANNELS, SIDE = 4, 12, 17


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.norm.eval()

    def train(self, mode=True):
        return self

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [CHANNELS]
