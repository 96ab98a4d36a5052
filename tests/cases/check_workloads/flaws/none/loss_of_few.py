"""A loss that differs from draw to draw."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(x, y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(4, 4), torch.randn(4, 4)]
