"""Each token is routed to two of eight experts; all compute, and the router's weights select.

Covers: mixture of experts, topk, scatter, einsum of three tensors.
"""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HIDDEN, EXPERTS, CHOSEN = 512, 384, 768, 8, 2


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, experts: int, chosen: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.into = nn.Parameter(torch.randn(experts, width, hidden) / width**0.5)
        self.out_of = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)
        self.chosen = chosen

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens out, and how many tokens each expert got."""
        scores = self.router(x)
        best, place = torch.topk(scores, self.chosen, dim=-1)
        weights = torch.zeros_like(scores).scatter(1, place, F.softmax(best, dim=-1))
        hidden = F.gelu(torch.einsum("tw,ewh->teh", x, self.into))
        y = torch.einsum("te,teh,ehw->tw", weights, hidden, self.out_of)
        return y, (weights > 0).sum(dim=0)


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN, EXPERTS, CHOSEN]
