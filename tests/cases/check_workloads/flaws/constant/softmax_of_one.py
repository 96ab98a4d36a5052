"""A softmax over a dimension of one element is 1."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.softmax(x.sum(dim=1, keepdim=True), dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
