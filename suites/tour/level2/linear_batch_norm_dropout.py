"""A linear layer, batch normalisation, GELU and dropout: the mode decides on two of the four.

Covers: batch norm, dropout, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, IN_WIDTH, OUT_WIDTH = 1024, 4096, 6144


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int, dropped: float) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width)
        self.norm = nn.BatchNorm1d(out_width)
        self.dropout = nn.Dropout(dropped)
        nn.init.normal_(self.norm.running_mean, std=0.3)
        nn.init.uniform_(self.norm.running_var, 0.2, 0.6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(F.gelu(self.norm(self.linear(x))))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH, 0.2]
