"""A vision transformer's first layers: patches, a class token, positions, and one attention.

Covers: patch embedding, layer norm.
"""

import torch
from torch import nn

BATCH, IMAGE, PATCH, WIDTH, HEADS = 8, 224, 16, 384, 6


class Model(nn.Module):
    def __init__(self, image: int, patch: int, width: int, heads: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=patch, stride=patch)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(0.5 * torch.randn(1, (image // patch) ** 2 + 1, width))
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(x), -1, -1), tokens], dim=1) + self.positions
        y = self.norm(tokens)
        return tokens + self.attention(y, y, y, need_weights=False)[0]


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IMAGE, PATCH, WIDTH, HEADS]
