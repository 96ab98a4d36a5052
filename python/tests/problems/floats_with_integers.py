"""A constant of floats compared with an integer: where they are equal, x must come through."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        ones = torch.ones(4, 5)
        return torch.where(ones == 1, x, 0.0), torch.where(ones * 2 > 1, x, 0.0)


def get_inputs():
    return [torch.randn(4, 5)]
