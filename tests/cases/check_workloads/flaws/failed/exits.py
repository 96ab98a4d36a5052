"""It ends the process."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return exit(3)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(16, 64)]
