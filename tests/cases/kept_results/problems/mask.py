"""A little, and a mask that no input changes."""

import torch
from torch import nn

SIZE = 1024


class Model(nn.Module):
    def forward(self, x):
        return x * 2, torch.tril(torch.ones(SIZE, SIZE))


def get_inputs():
    return [torch.randn(16, SIZE)]
