"""Two layers with gelu in between, in half precision."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, first, second):
        hidden = nn.functional.gelu(nn.functional.linear(x, first))
        return nn.functional.linear(hidden, second)


def get_inputs():
    return [
        torch.randn(61, 96).half(),
        torch.randn(130, 96).half() / 8,
        torch.randn(67, 130).half() / 8,
    ]


def get_init_inputs():
    return []
