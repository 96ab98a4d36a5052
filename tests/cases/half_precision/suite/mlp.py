"""Two layers with gelu in between."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(128, 256)
        self.second = nn.Linear(256, 128)

    def forward(self, x):
        return self.second(nn.functional.gelu(self.first(x)))


def get_inputs():
    return [torch.randn(96, 128)]


def get_init_inputs():
    return []
