"""The hinge loss of signed labels.

Covers: hinge loss.
"""

import torch
from torch import nn

ROWS, WIDTH = 32_768, 4096


class Model(nn.Module):
    def forward(self, scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return torch.clamp(1.0 - scores * labels, min=0.0).mean()


def get_inputs() -> list[torch.Tensor]:
    labels = 2.0 * torch.randint(0, 2, (ROWS, 1)).float() - 1.0
    return [0.3 + torch.randn(ROWS, WIDTH), labels]


def get_init_inputs() -> list[object]:
    return []
