"""A transposed convolution of volumes, layer normalisation over the width, pooling, GELU.

Covers: transposed conv 3d, layer norm, pooling 3d, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, DEPTH, IMAGE = 4, 24, 16, 8, 24


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, width: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, 4, stride=2, padding=1, bias=False
        )
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(F.avg_pool3d(self.norm(self.conv(x)), kernel_size=2))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS, 2 * IMAGE]
