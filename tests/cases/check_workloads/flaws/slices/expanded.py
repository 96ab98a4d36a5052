"""Each row is the same row."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.cumsum(dim=1).sum(dim=0, keepdim=True).expand(16, 64) / 4


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
