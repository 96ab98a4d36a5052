"""ConvNeXt blocks whose rates of stochastic depth are items of a tensor made in `__init__`.

Covers: item in init, depthwise convolution, layer norm, activation.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, IMAGE, BLOCKS = 4, 96, 56, 4


class Block(nn.Module):
    def __init__(self, channels: int, dropped: float) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.expand = nn.Linear(channels, 4 * channels)
        self.contract = nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(0.5 + torch.rand(channels))
        self.dropped = dropped

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.depthwise(x).permute(0, 2, 3, 1)
        y = self.contract(F.gelu(self.expand(self.norm(y))))
        y = (self.scale * y).permute(0, 3, 1, 2)
        if self.training and self.dropped > 0.0:
            kept = torch.rand(len(x), 1, 1, 1, device=x.device) >= self.dropped
            y = y * kept / (1.0 - self.dropped)
        return x + y


class Model(nn.Module):
    def __init__(self, channels: int, blocks: int, greatest_rate: float) -> None:
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0.0, greatest_rate, blocks)]
        self.blocks = nn.Sequential(*(Block(channels, rate) for rate in rates))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.blocks(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, BLOCKS, 0.3]
