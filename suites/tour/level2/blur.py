"""Every channel blurred by a kernel that `forward` writes down as a constant, then changes.

Covers: mutated constant, depthwise convolution.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 8, 32, 180, 240


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        taps = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0], dtype=x.dtype, device=x.device)
        taps[1] += 0.5  # not symmetric: a kernel turned round must show
        taps /= taps.sum()
        channels = x.shape[1]
        across = taps.view(1, 1, 1, -1).expand(channels, 1, 1, -1)
        down = taps.view(1, 1, -1, 1).expand(channels, 1, -1, 1)
        x = F.conv2d(x, across, padding=(0, 2), groups=channels)
        return F.conv2d(x, down, padding=(2, 0), groups=channels)


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
