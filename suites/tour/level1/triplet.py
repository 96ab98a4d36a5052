"""The triplet margin loss: an anchor shall lie nearer to one point than to another.

Covers: triplet loss.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH = 8192, 1536


class Model(nn.Module):
    def __init__(self, margin: float) -> None:
        super().__init__()
        self.margin = margin

    def forward(self, anchor: torch.Tensor, near: torch.Tensor, far: torch.Tensor) -> torch.Tensor:
        return F.triplet_margin_loss(anchor, near, far, margin=self.margin, reduction="none")


def get_inputs() -> list[torch.Tensor]:
    anchor = torch.randn(ROWS, WIDTH)
    near = anchor + 0.95 * torch.randn(ROWS, WIDTH)
    return [anchor, near, anchor + torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [2.0]
