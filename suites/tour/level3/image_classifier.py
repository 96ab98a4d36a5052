"""A small residual network as a whole: stem, four blocks, pooling, head.

Covers: residual block, batch norm, pooling 2d.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IMAGE, CLASSES = 4, 128, 100
WIDTHS = [32, 64, 96, 160]


def conv_norm(in_channels: int, out_channels: int, window: int, stride: int = 1) -> nn.Sequential:
    padding = window // 2
    conv = nn.Conv2d(in_channels, out_channels, window, stride, padding, bias=False)
    norm = nn.BatchNorm2d(out_channels)
    nn.init.normal_(norm.running_mean, std=0.1)
    nn.init.uniform_(norm.running_var, 0.1, 0.4)
    return nn.Sequential(conv, norm)


class Block(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.first = conv_norm(in_channels, out_channels, 3, stride=2)
        self.second = conv_norm(out_channels, out_channels, 3)
        self.shortcut = conv_norm(in_channels, out_channels, 1, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.second(F.relu(self.first(x))) + self.shortcut(x))


class Model(nn.Module):
    def __init__(self, widths: list[int], classes: int) -> None:
        super().__init__()
        self.stem = conv_norm(3, widths[0], 7, stride=2)
        pairs = zip([widths[0], *widths[:-1]], widths, strict=True)
        self.blocks = nn.Sequential(*(Block(before, after) for before, after in pairs))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.max_pool2d(F.relu(self.stem(x)), kernel_size=3, stride=2, padding=1)
        return self.head(F.adaptive_avg_pool2d(self.blocks(y), 1).flatten(1))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [WIDTHS, CLASSES]
