"""Attention from one sequence to another of other width, some of it padding; weights come out too.

Covers: cross attention, boolean input, tuple output.
"""

import torch
from torch import nn

BATCH, QUERIES, KEYS, WIDTH, OTHER_WIDTH, HEADS = 4, 77, 256, 320, 512, 5


class Model(nn.Module):
    def __init__(self, width: int, other_width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(
            width, heads, kdim=other_width, vdim=other_width, batch_first=True
        )

    def forward(
        self, x: torch.Tensor, context: torch.Tensor, padding: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        mixed, weights = self.attention(
            self.norm(x), context, context, key_padding_mask=padding, need_weights=True
        )
        return x + mixed, weights


def get_inputs() -> list[torch.Tensor]:
    lengths = torch.randint(KEYS // 4, KEYS, (BATCH, 1))
    padding = torch.arange(KEYS) >= lengths
    return [torch.randn(BATCH, QUERIES, WIDTH), torch.randn(BATCH, KEYS, OTHER_WIDTH), padding]


def get_init_inputs() -> list[object]:
    return [WIDTH, OTHER_WIDTH, HEADS]
