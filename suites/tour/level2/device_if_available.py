"""A linear layer on the GPU if there is one: the file asks for the device itself.

Covers: device in the problem.
"""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ROWS, IN_WIDTH, OUT_WIDTH = 256, 1024, 640


class Model(nn.Module):
    def __init__(self, in_width: int, out_width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width, device=DEVICE)
        self.offset = torch.full((out_width,), 0.5, device=DEVICE)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(x) + self.offset)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, IN_WIDTH).to(DEVICE)]


def get_init_inputs() -> list[object]:
    return [IN_WIDTH, OUT_WIDTH]
