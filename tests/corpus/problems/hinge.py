"""The hinge loss of predictions, with labels of -1 and 1 that are computed from a draw."""

import torch
from torch import nn

N = 700


class Model(nn.Module):
    def forward(self, predictions, labels):
        return torch.mean(torch.clamp(1 - predictions * labels, min=0))


def get_inputs():
    return [torch.rand(N, 1), torch.randint(0, 2, (N, 1)).float() * 2 - 1]


def get_init_inputs():
    return []
