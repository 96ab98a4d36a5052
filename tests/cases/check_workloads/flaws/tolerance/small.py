"""Small numbers in, small numbers out."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.cumsum(dim=1) / 64


def get_inputs() -> list[torch.Tensor]:
    return [1e-5 * torch.randn(16, 64)]
