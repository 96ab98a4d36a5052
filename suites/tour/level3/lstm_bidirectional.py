"""An LSTM that reads both ways, from states that are inputs; the last states come out, nested.

Covers: LSTM, bidirectional, tuple output, several outputs.
"""

import torch
from torch import nn

BATCH, STEPS, WIDTH, HIDDEN, LAYERS = 4, 200, 96, 160, 2


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, layers, dropout=0.1, bidirectional=True)

    def forward(
        self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        return self.lstm(x, (h, c))


def get_inputs() -> list[torch.Tensor]:
    state = (2 * LAYERS, BATCH, HIDDEN)
    return [torch.randn(STEPS, BATCH, WIDTH), torch.rand(*state), torch.randn(*state)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN, LAYERS]
