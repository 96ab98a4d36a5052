"""A depthwise and a pointwise convolution, each with batch normalisation and ReLU6 in place.

Covers: depthwise convolution, batch norm, in-place operator.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, IMAGE = 8, 64, 128, 112


def normalised(channels: int) -> list[nn.Module]:
    norm = nn.BatchNorm2d(channels)
    nn.init.normal_(norm.running_mean, std=0.2)
    nn.init.uniform_(norm.running_var, 0.1, 0.5)
    return [norm, nn.ReLU6(inplace=True)]


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(in_channels, in_channels, 3, padding=1, groups=in_channels, bias=False),
            *normalised(in_channels),
            nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=False),
            *normalised(out_channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
