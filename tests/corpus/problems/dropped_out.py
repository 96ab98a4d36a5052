"""What a mask of Bernoulli draws leaves, made as large as it was."""

import torch
from torch import nn

ROWS, COLUMNS = 48, 65


class Model(nn.Module):
    def forward(self, x, kept):
        return torch.where(kept, x * 2, torch.zeros_like(x))


def get_inputs():
    return [torch.randn(ROWS, COLUMNS), torch.bernoulli(torch.rand(ROWS, COLUMNS)).bool()]


def get_init_inputs():
    return []
