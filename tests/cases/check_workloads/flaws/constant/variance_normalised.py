"""The variance of what was normalised is 1, but for eps."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (64,), eps=0.0).pow(2).mean()


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
