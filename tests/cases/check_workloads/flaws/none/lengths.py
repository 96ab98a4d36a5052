"""Inputs that belong together."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        return torch.tensor_split(x, ends.tolist())[1].cumsum(0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64), torch.tensor([4, 9])]
