"""Sixteen query heads share four key heads; rotary tables turn both; attention is causal.

Covers: grouped-query attention, non-persistent buffer, masked attention.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH, HEADS, KEY_HEADS = 2, 320, 1024, 16, 4


class Model(nn.Module):
    def __init__(self, width: int, heads: int, key_heads: int, longest: int) -> None:
        super().__init__()
        self.heads, self.key_heads, self.head_width = heads, key_heads, width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.v = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        rates = 10_000.0 ** (-torch.arange(0, self.head_width, 2).float() / self.head_width)
        angles = torch.arange(longest).float()[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q = self.turned(self.split(self.q(x), self.heads))
        k = self.turned(self.split(self.k(x), self.key_heads))
        v = self.split(self.v(x), self.key_heads)
        shared = self.heads // self.key_heads
        k, v = k.repeat_interleave(shared, dim=1), v.repeat_interleave(shared, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def split(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.view(*x.shape[:2], heads, self.head_width).transpose(1, 2)

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        cos, sin = self.cos[: x.shape[2]], self.sin[: x.shape[2]]
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HEADS, KEY_HEADS, 512]
