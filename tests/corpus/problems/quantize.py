"""Rows of whole numbers from -127 to 127, with a scale for each: how activations are stored."""

import torch
from torch import nn

ROWS, WIDTH = 48, 130


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-5) / 127
        return torch.round(x / scale).to(torch.int8), scale


def get_inputs():
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs():
    return []
