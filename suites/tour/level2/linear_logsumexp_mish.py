"""A linear layer, a logsumexp over its features, Mish: one number per row.

Covers: logsumexp, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, IN_WIDTH, OUT_WIDTH = 1024, 8192, 8000


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.mish(torch.logsumexp(self.linear(x), dim=1, keepdim=True) - 9.0)


def get_inputs() -> list[torch.Tensor]:
    return [(2.0 * torch.rand(ROWS, 1) + 0.5) * torch.randn(ROWS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH]
