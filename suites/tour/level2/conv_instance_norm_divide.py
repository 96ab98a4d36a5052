"""A convolution, instance normalisation, a division by the norm of each pixel's channels.

Covers: instance norm, conv 2d.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, IMAGE = 4, 32, 64, 96


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.norm = nn.InstanceNorm2d(out_channels, affine=True)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.3)
        nn.init.normal_(self.norm.bias, std=0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.conv(x))
        return y / (1.0 + torch.linalg.vector_norm(y, dim=1, keepdim=True))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
