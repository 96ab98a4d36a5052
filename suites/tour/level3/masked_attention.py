"""Causal attention written out, under a mask that is a non-persistent buffer made in `__init__`.

Covers: masked attention, non-persistent buffer, dropout, softmax.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH, HEADS = 4, 512, 384, 6


class Model(nn.Module):
    def __init__(self, width: int, heads: int, longest: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)
        mask = torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        split = self.qkv(x).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = split.unbind(0)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(self.mask[:, :, :tokens, :tokens] == 0, float("-inf"))
        mixed = self.dropout(F.softmax(scores, dim=-1)) @ v
        return self.project(mixed.transpose(1, 2).reshape(batch, tokens, width))


def get_inputs() -> list[torch.Tensor]:
    return [3.0 * torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HEADS, 2 * TOKENS]
