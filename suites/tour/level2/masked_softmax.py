"""Attention weights under three masks at once: a boolean input, causality and a new tensor of ones.

Covers: boolean operation, boolean input, new_full, softmax.
"""

import torch
from torch import nn

BATCH, HEADS, TOKENS = 4, 8, 384


class Model(nn.Module):
    def forward(self, scores: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        tokens = scores.shape[-1]
        causal = present.new_ones(tokens, tokens).tril()
        seen = causal & present[:, None, None, :]
        own = torch.eye(tokens, dtype=torch.bool, device=scores.device)
        seen = torch.logical_or(seen, own)  # no row is left without an element
        least = scores.new_full((), torch.finfo(scores.dtype).min)
        return torch.softmax(torch.where(seen, scores, least), dim=-1)


def get_inputs() -> list[torch.Tensor]:
    scores = 2.0 * torch.randn(BATCH, HEADS, TOKENS, TOKENS)
    return [scores, torch.rand(BATCH, TOKENS) < 0.8]


def get_init_inputs() -> list[object]:
    return []
