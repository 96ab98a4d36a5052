"""The mean of squared differences of two inputs that take 2.1 GB together.

Covers: mean squared error.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 16_384, 16_384


class Model(nn.Module):
    def forward(self, predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(predicted, wanted)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH), 0.5 * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
