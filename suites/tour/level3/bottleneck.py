"""A grouped bottleneck block: narrow, convolve in groups, widen, add the input.

Covers: residual block, grouped convolution, batch norm.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, NARROW, GROUPS, IMAGE = 8, 256, 128, 32, 56


def conv_norm(in_channels: int, out_channels: int, window: int, groups: int = 1) -> nn.Sequential:
    padding = window // 2
    conv = nn.Conv2d(in_channels, out_channels, window, padding=padding, groups=groups, bias=False)
    norm = nn.BatchNorm2d(out_channels)
    nn.init.normal_(norm.running_mean, std=0.2)
    nn.init.uniform_(norm.running_var, 0.1, 0.5)
    return nn.Sequential(conv, norm)


class Model(nn.Module):
    def __init__(self, channels: int, narrow: int, groups: int) -> None:
        super().__init__()
        self.reduce = conv_norm(channels, narrow, 1)
        self.middle = conv_norm(narrow, narrow, 3, groups)
        self.expand = conv_norm(narrow, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.reduce(x))
        y = F.relu(self.middle(y))
        return F.relu(x + self.expand(y))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, NARROW, GROUPS]
