"""A tensor over its own Frobenius norm: one number out of 1.2 GB, then a second pass.

The result is scaled up by the root of its size, so that its elements are of order one.

Covers: frobenius norm.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 24, 192, 256


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (x.numel() ** 0.5 / torch.linalg.vector_norm(x))


def get_inputs() -> list[torch.Tensor]:
    return [3.0 * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return []
