"""A linear layer and the exact GELU."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN, OUT = 33, 192, 101


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return F.gelu(self.linear(x))


def get_inputs():
    return [torch.randn(BATCH, IN)]


def get_init_inputs():
    return [IN, OUT]
