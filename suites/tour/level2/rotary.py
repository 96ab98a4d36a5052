"""Queries and keys turned by tables that are non-persistent buffers, made while the model is built.

Covers: non-persistent buffer, tuple output.
"""

import torch
from torch import nn

BATCH, HEADS, TOKENS, WIDTH = 2, 16, 1024, 64


class Model(nn.Module):
    def __init__(self, tokens: int, width: int, base: float) -> None:
        super().__init__()
        frequencies = base ** (-torch.arange(0, width, 2) / width)
        angles = torch.outer(torch.arange(tokens), frequencies).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.turned(q), self.turned(k)

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        left, right = x.chunk(2, dim=-1)
        return x * self.cos + torch.cat([-right, left], dim=-1) * self.sin


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, TOKENS, WIDTH), torch.randn(BATCH, HEADS // 4, TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [TOKENS, WIDTH, 10_000.0]
