"""A block in which every layer reads what all layers before it wrote, and its transition.

Covers: dense block, batch norm, pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, GROWTH, LAYERS, IMAGE = 4, 48, 24, 6, 56


def batch_norm(channels: int) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels)
    nn.init.normal_(norm.running_mean, std=0.2)
    nn.init.uniform_(norm.running_var, 0.3, 1.2)
    return norm


class Layer(nn.Module):
    def __init__(self, channels: int, growth: int) -> None:
        super().__init__()
        self.norm = batch_norm(channels)
        self.conv = nn.Conv2d(channels, growth, 3, padding=1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(F.relu(self.norm(x)))


class Model(nn.Module):
    def __init__(self, channels: int, growth: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(channels + n * growth, growth) for n in range(layers))
        channels += layers * growth
        self.norm = batch_norm(channels)
        self.transition = nn.Conv2d(channels, channels // 2, 1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = [x]
        for layer in self.layers:
            features.append(layer(torch.cat(features, dim=1)))
        y = F.relu(self.norm(torch.cat(features, dim=1)))
        return F.avg_pool2d(self.transition(y), kernel_size=2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, GROWTH, LAYERS]
