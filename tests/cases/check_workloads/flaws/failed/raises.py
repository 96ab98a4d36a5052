"""It raises."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ x


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
