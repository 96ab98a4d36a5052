"""Marks of tests that reach a limit: whole numbers in floating point, one of them the limit."""

import torch
from torch import nn

PUPILS, TESTS, POINTS = 120, 33, 60


class Model(nn.Module):
    def forward(self, points):
        return torch.where(points >= POINTS / 2, points, 0.0)


def get_inputs():
    return [torch.randint(0, POINTS + 1, (PUPILS, TESTS)).float()]


def get_init_inputs():
    return []
