"""A convolution whose taps lie two rows and three columns apart."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 4, 5, 15, 19


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=(2, 3), dilation=(2, 3))

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
