"""Rows summed into the rows that an integer input names; several go to one.

Covers: scatter, integer input.
"""

import torch
from torch import nn

NODES, EDGES, WIDTH = 4096, 24_576, 128


class Model(nn.Module):
    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.nodes = nodes

    def forward(self, messages: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        sums = messages.new_zeros(self.nodes, messages.shape[1])
        return sums.scatter_add(0, targets[:, None].expand_as(messages), messages)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(EDGES, WIDTH), torch.randint(0, NODES, (EDGES,))]


def get_init_inputs() -> list[object]:
    return [NODES]
