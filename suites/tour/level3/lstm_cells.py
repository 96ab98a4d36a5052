"""Two LSTM cells in a Python loop of twelve steps, which an exporter unrolls.

Covers: LSTM, new_zeros.
"""

import torch
from torch import nn

BATCH, STEPS, WIDTH, HIDDEN = 32, 12, 64, 128


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.LSTMCell(width, hidden)
        self.second = nn.LSTMCell(hidden, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h1 = c1 = h2 = c2 = x.new_zeros(x.shape[0], self.first.hidden_size)
        said = []
        for step in range(x.shape[1]):
            h1, c1 = self.first(x[:, step], (h1, c1))
            h2, c2 = self.second(h1, (h2, c2))
            said.append(h2)
        return torch.stack(said, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [2.0 * torch.randn(BATCH, STEPS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN]
