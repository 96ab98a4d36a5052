"""What another function is in double: nobody can say what is right."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        wide = x.double() * 1.0
        return (wide + (2 if wide.dtype == torch.float64 else 1)).float()


def get_inputs():
    return [torch.randn(32, 32)]


def get_init_inputs():
    return []
