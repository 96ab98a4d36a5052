"""The inputs are the same each time, and so is their cross entropy."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(x, classes)


def get_inputs() -> list[torch.Tensor]:
    return [torch.zeros(16, 10), torch.zeros(16, dtype=torch.int64)]
