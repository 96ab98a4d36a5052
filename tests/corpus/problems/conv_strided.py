"""A convolution of 3 by 4 with strides that leave a tail on the right."""

import torch
from torch import nn

BATCH, IN, OUT, HEIGHT, WIDTH = 2, 5, 6, 17, 20


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, (3, 4), stride=(2, 3), padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, IN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN, OUT]
