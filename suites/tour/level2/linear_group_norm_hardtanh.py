"""A linear layer with weights of 570 MB, group normalisation of its features, a clamp.

Covers: product, group norm, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, IN_WIDTH, OUT_WIDTH, GROUPS = 1024, 11_008, 12_960, 15


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int, groups: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width)
        self.norm = nn.GroupNorm(groups, out_width)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.hardtanh(self.norm(self.linear(x)), min_val=-1.5, max_val=2.0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH, GROUPS]
