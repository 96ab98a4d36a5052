"""A grouped transposed convolution, a bias of its own, scale, clamp, hard swish.

Covers: grouped transposed convolution, transposed conv 2d, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS, IMAGE = 4, 32, 48, 8, 48


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, groups: int, scale: float) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, 3, stride=2, padding=1, output_padding=1, groups=groups
        )
        self.bias = nn.Parameter(torch.randn(out_channels, 1, 1))
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.clamp(self.scale * (self.conv(x) + self.bias), min=-2.5, max=2.5)
        return F.hardswish(y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS, GROUPS, 1.5]
