"""The logarithm of a sum of exponentials, of values whose exponentials would overflow.

Covers: logsumexp.
"""

import torch
from torch import nn

ROWS, CLASSES = 4096, 65_536


class Model(nn.Module):
    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(logits, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [100.0 * torch.rand(ROWS, 1) + 3.0 * torch.randn(ROWS, CLASSES)]


def get_init_inputs() -> list[object]:
    return []
