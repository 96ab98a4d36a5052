"""Layer normalisation of token vectors, with learned scale and shift.

Covers: layer norm.
"""

import torch
from torch import nn

BATCH, TOKENS, WIDTH = 4, 197, 768


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        # The default scale 1 and shift 0 would hide an implementation that leaves them out.
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs() -> list[torch.Tensor]:
    return [0.5 + 2.0 * torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH]
