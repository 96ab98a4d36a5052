"""A convolution of 5 by 5 that makes two channels of each."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 6, 12, 14, 11


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 5, padding=2, groups=inputs)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
