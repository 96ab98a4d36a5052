"""Minus infinity where nothing may be looked at."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x, 1).masked_fill(x < -1, float('-inf'))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
