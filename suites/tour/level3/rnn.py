"""Elman's network with ReLU, read backwards too, and the mean of all it said.

Covers: RNN, bidirectional.
"""

import torch
from torch import nn

BATCH, STEPS, WIDTH, HIDDEN = 16, 128, 80, 144


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.RNN(
            width, hidden, nonlinearity="relu", batch_first=True, bidirectional=True, bias=False
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs, _ = self.rnn(x)
        return outputs.mean(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, STEPS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN]
