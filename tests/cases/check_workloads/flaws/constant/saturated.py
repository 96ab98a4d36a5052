"""A sigmoid of large numbers is 1."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(x.abs() + 100)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
