"""Nothing is drawn: one answer is right for ever."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.arange(64, dtype=torch.float32).reshape(4, 16)]
