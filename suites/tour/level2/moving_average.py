"""Features centred by a moving average that each call updates: state in a registered buffer.

Covers: state between calls, mutated buffer.
"""

import torch
from torch import nn

ROWS, WIDTH = 4096, 512


class Model(nn.Module):
    def __init__(self, width: int, decay: float) -> None:
        super().__init__()
        self.register_buffer("average", torch.randn(width))
        self.decay = decay

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.average.lerp_(x.mean(dim=0), 1.0 - self.decay)
        return x - self.average


def get_inputs() -> list[torch.Tensor]:
    return [torch.linspace(-2.0, 2.0, WIDTH) + torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, 0.8]
