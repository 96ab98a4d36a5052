"""The largest of the elements that a mask leaves, as a mask."""

import torch
from torch import nn

ROWS, WIDTH, K = 70, 45, 4


class Model(nn.Module):
    def forward(self, x, allowed):
        scores = x.masked_fill(~allowed, -torch.inf)
        return torch.zeros_like(x).scatter(1, scores.topk(K).indices, 1.0)


def get_inputs():
    return [torch.randn(ROWS, WIDTH), torch.rand(ROWS, WIDTH) > 0.4]


def get_init_inputs():
    return []
