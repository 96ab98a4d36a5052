"""Root mean square normalisation over the channels of 4.8 GB of images, which lie far apart.

Covers: rms norm, several gigabytes.
"""

import torch
from torch import nn

BATCH, CHANNELS, IMAGE = 96, 48, 512


class Model(nn.Module):
    def __init__(self, channels: int, epsilon: float) -> None:
        super().__init__()
        self.scale = nn.Parameter(1.0 + 0.2 * torch.randn(channels, 1, 1))
        self.epsilon = epsilon

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale * x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + self.epsilon)


def get_inputs() -> list[torch.Tensor]:
    return [2.5 * torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, 1e-5]
