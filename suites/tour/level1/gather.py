"""One element out of each row of a table, at the places that an integer input names.

Covers: gather, integer input.
"""

import torch
from torch import nn

ROWS, WIDTH, TAKEN = 8192, 4096, 64


class Model(nn.Module):
    def forward(self, table: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return torch.gather(table, 1, places)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH), torch.randint(0, WIDTH, (ROWS, TAKEN))]


def get_init_inputs() -> list[object]:
    return []
