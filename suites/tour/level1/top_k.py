"""The largest elements of each row in order, and where they stand.

Covers: topk, tuple output.
"""

import torch
from torch import nn

ROWS, CLASSES, TAKEN = 512, 32_000, 24


class Model(nn.Module):
    def __init__(self, taken: int) -> None:
        super().__init__()
        self.taken = taken

    def forward(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.topk(scores, self.taken, dim=1)
        return values, places


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, CLASSES)]


def get_init_inputs() -> list[object]:
    return [TAKEN]
