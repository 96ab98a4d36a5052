"""A linear layer onto many classes, dropout, softmax.

Covers: dropout, softmax.
"""

import torch
from torch import nn

ROWS, WIDTH, CLASSES = 256, 2048, 20_000


class Model(nn.Module):
    def __init__(self, width: int, classes: int, dropped: float) -> None:
        super().__init__()
        self.linear = nn.Linear(width, classes)
        self.dropout = nn.Dropout(dropped)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.dropout(self.linear(x)), dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [4.0 * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, CLASSES, 0.1]
