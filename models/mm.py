"""A product with weights, and nothing else."""

import torch

BATCH = 1
FROM = 128
TO = 64


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(FROM, TO) / FROM**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """From [batch, from] to [batch, to]."""
        return x @ self.weight


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, FROM)]
