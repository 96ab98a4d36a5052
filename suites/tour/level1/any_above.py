"""Whether any element of a row is above a threshold that the caller gives as a Python number.

Covers: boolean operation, reduction, scalar input, boolean output.
"""

import torch
from torch import nn

ROWS, COLUMNS = 16_384, 3000


class Model(nn.Module):
    def forward(self, x: torch.Tensor, threshold: float) -> torch.Tensor:
        return (x > threshold).any(dim=1)


def get_inputs() -> list[object]:
    return [torch.randn(ROWS, COLUMNS), 3.5]  # about half of the rows have one


def get_init_inputs() -> list[object]:
    return []
