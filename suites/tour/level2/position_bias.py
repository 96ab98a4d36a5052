"""Scores biased by a learned table that is read through a non-persistent table of indices.

Covers: non-persistent buffer, gather.
"""

import torch
from torch import nn

BATCH, HEADS, WINDOW = 64, 6, 12


class Model(nn.Module):
    def __init__(self, heads: int, window: int) -> None:
        super().__init__()
        span = 2 * window - 1
        self.table = nn.Parameter(0.5 * torch.randn(span * span, heads))
        place = torch.stack(torch.meshgrid(*2 * [torch.arange(window)], indexing="ij")).flatten(1)
        offset = place[:, :, None] - place[:, None, :] + window - 1
        self.register_buffer("index", offset[0] * span + offset[1], persistent=False)

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        bias = self.table[self.index.flatten()].view(*self.index.shape, -1)
        return torch.softmax(scores + bias.permute(2, 0, 1), dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, WINDOW**2, WINDOW**2)]


def get_init_inputs() -> list[object]:
    return [HEADS, WINDOW]
