"""A SwiGLU feed-forward layer of the size that language models have: 540 MB of weights.

Covers: product, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH, HIDDEN = 2, 1024, 4096, 11_008


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN]
