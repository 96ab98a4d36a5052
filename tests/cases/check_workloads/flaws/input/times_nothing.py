"""A mask of ones that is multiplied by 0."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x.cumsum(1) + 0 * mask


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64), torch.ones(16, 64, dtype=torch.int64)]
