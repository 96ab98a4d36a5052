"""The smooth L1 loss of every element, with a bend at 0.4, so that both branches are taken.

Covers: smooth l1.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 4096, 32_768


class Model(nn.Module):
    def forward(self, predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return F.smooth_l1_loss(predicted, wanted, beta=0.4)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH), 0.5 * torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
