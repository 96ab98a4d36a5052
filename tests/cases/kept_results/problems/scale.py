"""A line, and nothing to gain by."""

import torch
from torch import nn

SIDE = 512


class Model(nn.Module):
    def forward(self, x):
        return x * 2.5 + 1


def get_inputs():
    return [torch.randn(SIDE, SIDE)]
