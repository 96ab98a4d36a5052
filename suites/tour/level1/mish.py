"""Mish, x tanh(log(1 + exp(x))), with values large enough to overflow a careless exp.

Covers: activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 2048, 196_608


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.mish(x)


def get_inputs() -> list[torch.Tensor]:
    return [40.0 * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
