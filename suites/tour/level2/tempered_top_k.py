"""Logits over a temperature, all but the greatest struck out, softmax; two Python numbers steer.

Covers: scalar input, topk, boolean operation, softmax.
"""

import torch
from torch import nn

ROWS, CLASSES = 64, 32_000


class Model(nn.Module):
    def forward(self, logits: torch.Tensor, temperature: float, taken: int) -> torch.Tensor:
        logits = logits / temperature
        least = torch.topk(logits, taken, dim=1).values[:, -1:]
        return torch.softmax(logits.masked_fill(logits < least, float("-inf")), dim=1)


def get_inputs() -> list[object]:
    return [2.0 * torch.randn(ROWS, CLASSES), 0.7, 40]


def get_init_inputs() -> list[object]:
    return []
