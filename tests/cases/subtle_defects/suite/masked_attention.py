"""Attention over values of which a mask leaves some, or none at all."""

import torch
from torch import nn

ROWS = 31
KEYS = 18
COLUMNS = 9


class Model(nn.Module):
    def forward(self, scores, mask, values):
        weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), -1)
        return weights @ values


def get_inputs():
    return [
        torch.randn(ROWS, KEYS),
        torch.randint(0, 2, (ROWS, KEYS)).float(),
        torch.randn(KEYS, COLUMNS),
    ]


def get_init_inputs():
    return []
