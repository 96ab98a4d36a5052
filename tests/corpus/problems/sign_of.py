"""One with the sign of x; zeros have signs."""

import torch
from torch import nn

ROWS, COLUMNS = 32, 77


class Model(nn.Module):
    def forward(self, x):
        return torch.copysign(torch.ones_like(x), x)


def get_inputs():
    return [torch.randint(-3, 4, (ROWS, COLUMNS)).float() * -0.5]


def get_init_inputs():
    return []
