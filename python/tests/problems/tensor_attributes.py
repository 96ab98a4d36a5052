"""A state in a plain attribute, and a mask too large to be a constant."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.randn(2, 512)
        self.register_buffer("mask", torch.ones(512, 512).tril(), persistent=False)

    def forward(self, x):
        self.hidden = torch.tanh(self.hidden + x)
        return self.hidden @ self.mask


def get_inputs():
    return [torch.randn(2, 512)]
