"""Indices, and a table."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.table(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, 100, (8, 32))]
