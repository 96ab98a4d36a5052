"""A transposed convolution of signals, with stride, dilation and output padding.

Covers: transposed conv 1d.
"""

import torch
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, LENGTH = 16, 64, 40, 4096


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(
            in_channels, out_channels, kernel_size=4, stride=3, dilation=2, output_padding=1
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS]
