"""A convolution in three groups of channels."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 6, 9, 13, 17


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, groups=3)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
