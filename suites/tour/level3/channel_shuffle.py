"""Half of the channels pass through two grouped convolutions; then all are shuffled.

Covers: grouped convolution, depthwise convolution.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, GROUPS, IMAGE = 8, 240, 3, 28


class Model(nn.Module):
    def __init__(self, channels: int, groups: int) -> None:
        super().__init__()
        half = channels // 2
        self.groups = groups
        self.into = nn.Conv2d(half, half, 1, groups=groups)
        self.depthwise = nn.Conv2d(half, half, 3, padding=1, groups=half)
        self.out_of = nn.Conv2d(half, half, 1, groups=groups)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept, changed = x.chunk(2, dim=1)
        changed = self.shuffled(F.relu(self.into(changed)), self.groups)
        changed = self.out_of(self.depthwise(changed))
        return self.shuffled(torch.cat([kept, F.relu(changed)], dim=1), 2)

    def shuffled(self, x: torch.Tensor, groups: int) -> torch.Tensor:
        batch, channels, height, width = x.shape
        x = x.view(batch, groups, channels // groups, height, width)
        return x.transpose(1, 2).reshape(batch, channels, height, width)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, GROUPS]
