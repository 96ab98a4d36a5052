"""Honest: the same by other means."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp_(min=0)
