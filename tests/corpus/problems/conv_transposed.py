"""A transposed convolution that doubles height and width."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 5, 4, 9, 11


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.ConvTranspose2d(inputs, outputs, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
