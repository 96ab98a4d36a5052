"""Sixteen megabytes of zeros around a little."""

import torch
from torch import nn

INNER, OUTER = 256, 2048


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.pad(x, ((OUTER - INNER) // 2,) * 4)


def get_inputs():
    return [torch.randn(INNER, INNER)]
