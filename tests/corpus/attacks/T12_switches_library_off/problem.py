"""A convolution of each channel by itself."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 51, 31, 29


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 5, padding=2, groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [CHANNELS]
