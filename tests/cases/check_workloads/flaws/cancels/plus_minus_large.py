"""What is added is below the rounding of what it is added to."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x + 1e6) - 1e6 - x


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
