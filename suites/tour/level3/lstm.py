"""A two-layer LSTM over 512 steps, and a head on what it says last.

Covers: LSTM.
"""

import torch
from torch import nn

BATCH, STEPS, WIDTH, HIDDEN, LAYERS, CLASSES = 8, 512, 128, 256, 2, 10


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, layers: int, classes: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs, _ = self.lstm(x)
        return self.head(outputs[:, -1])


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, STEPS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN, LAYERS, CLASSES]
