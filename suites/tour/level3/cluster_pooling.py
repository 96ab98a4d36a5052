"""Descriptors of an image summed up by their soft distance to learned centres.

Covers: softmax, l2 norm, einsum of three tensors.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, WIDTH, CENTRES, POINTS = 8, 128, 32, 784


class Model(nn.Module):
    def __init__(self, width: int, centres: int) -> None:
        super().__init__()
        self.assign = nn.Linear(width, centres)
        self.centres = nn.Parameter(torch.randn(centres, width))
        self.metric = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shares = torch.softmax(self.assign(x), dim=-1)
        sums = torch.einsum("bpc,bpw,w->bcw", shares, x, self.metric)
        sums = sums - shares.sum(dim=1)[:, :, None] * self.centres
        return F.normalize(F.normalize(sums, dim=2).flatten(1), dim=1) * sums.shape[1]


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, POINTS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, CENTRES]
