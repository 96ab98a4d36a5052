"""A temporal network: causal convolutions whose dilation doubles, with gates and residuals.

Covers: conv 1d, dilated convolution, residual block.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, LENGTH, LAYERS = 4, 64, 2048, 5


class Layer(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.dilation = dilation
        self.conv = nn.Conv1d(channels, 2 * channels, kernel_size=3, dilation=dilation)
        self.mix = nn.Conv1d(channels, channels, kernel_size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        value, gate = self.conv(F.pad(x, (2 * self.dilation, 0))).chunk(2, dim=1)
        return x + self.mix(torch.tanh(value) * torch.sigmoid(gate))


class Model(nn.Module):
    def __init__(self, channels: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(Layer(channels, 2**n) for n in range(layers)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, LAYERS]
