"""A convolution of 3 by 3 with padding, and a bias."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 5, 7, 18, 21


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
