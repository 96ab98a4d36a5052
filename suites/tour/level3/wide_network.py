"""A perceptron with 1.9 GB of weights: two hidden layers of 14 000 features.

Covers: product, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, IN_WIDTH, HIDDEN, OUT_WIDTH = 128, 12_288, 14_000, 8192


class Model(nn.Module):
    def __init__(self, in_width: int, hidden: int, out_width: int) -> None:
        super().__init__()
        self.first = nn.Linear(in_width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.third = nn.Linear(hidden, out_width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.third(F.relu(self.second(F.relu(self.first(x)))))


def get_inputs() -> list[torch.Tensor]:
    return [4.0 * torch.randn(ROWS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, HIDDEN, OUT_WIDTH]
