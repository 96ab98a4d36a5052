"""A bias that the normalisation takes away again."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(self.linear(x) - self.linear.bias, (32,))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
