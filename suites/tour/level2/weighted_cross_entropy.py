"""A linear head and its loss: cross entropy with weights of the classes and smoothed labels.

Covers: cross entropy, label smoothing, integer input.
"""

import torch
from torch import nn

ROWS, WIDTH, CLASSES = 1024, 768, 2000


class Model(nn.Module):
    def __init__(self, width: int, classes: int, smoothing: float) -> None:
        super().__init__()
        self.head = nn.Linear(width, classes)
        self.loss = nn.CrossEntropyLoss(0.5 + torch.rand(classes), label_smoothing=smoothing)

    def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return self.loss(self.head(x), classes)


def get_inputs() -> list[torch.Tensor]:
    return [3.0 * torch.randn(ROWS, WIDTH), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs() -> list[object]:
    return [WIDTH, CLASSES, 0.1]
