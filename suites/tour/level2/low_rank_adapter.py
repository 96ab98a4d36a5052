"""A frozen linear layer with a low-rank correction, which is one einsum of three tensors.

Covers: einsum of three tensors, product.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, IN_WIDTH, OUT_WIDTH, RANK = 4, 512, 3072, 2048, 16


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int, rank: int) -> None:
        super().__init__()
        self.register_buffer("frozen", torch.randn(out_width, in_width) / in_width**0.5)
        self.into = nn.Parameter(torch.randn(in_width, rank) / in_width**0.5)
        self.out_of = nn.Parameter(torch.randn(rank, out_width) / rank**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        correction = torch.einsum("bti,ir,ro->bto", x, self.into, self.out_of)
        return F.linear(x, self.frozen) + correction


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, IN_WIDTH)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH, RANK]
