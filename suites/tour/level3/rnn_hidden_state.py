"""One step of a recurrent network that keeps its state, a plain tensor, as an attribute.

Covers: RNN, state between calls.
"""

import torch
from torch import nn

BATCH, WIDTH, HIDDEN, OUT_WIDTH = 256, 1024, 512, 128


class Model(nn.Module):
    def __init__(self, batch: int, width: int, hidden: int, out_width: int) -> None:
        super().__init__()
        self.hidden = torch.randn(batch, hidden)
        self.into = nn.Linear(width + hidden, hidden)
        self.out_of = nn.Linear(hidden, out_width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.hidden = torch.tanh(self.into(torch.cat([x, self.hidden], dim=1)))
        return self.out_of(self.hidden)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs() -> list[object]:
    return [BATCH, WIDTH, HIDDEN, OUT_WIDTH]
