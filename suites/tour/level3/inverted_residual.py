"""MBConv: widen, convolve each channel, weigh channels by squeeze and excite, narrow, add.

Covers: MBConv, depthwise convolution, batch norm, dropout.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, WIDENING, SQUEEZED, IMAGE = 8, 40, 6, 10, 56


def batch_norm(channels: int) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels, eps=1e-3)
    nn.init.normal_(norm.running_mean, std=0.2)
    nn.init.uniform_(norm.running_var, 0.05, 0.4)
    return norm


class Model(nn.Module):
    def __init__(self, channels: int, widening: int, squeezed: int) -> None:
        super().__init__()
        wide = channels * widening
        self.expand = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False), batch_norm(wide), nn.SiLU(inplace=True)
        )
        self.depthwise = nn.Sequential(
            nn.Conv2d(wide, wide, 5, padding=2, groups=wide, bias=False),
            batch_norm(wide),
            nn.SiLU(inplace=True),
        )
        self.squeeze = nn.Conv2d(wide, squeezed, 1)
        self.excite = nn.Conv2d(squeezed, wide, 1)
        self.project = nn.Sequential(nn.Conv2d(wide, channels, 1, bias=False), batch_norm(channels))
        self.dropout = nn.Dropout2d(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.depthwise(self.expand(x))
        weights = self.excite(F.silu(self.squeeze(y.mean(dim=(2, 3), keepdim=True))))
        return x + self.dropout(self.project(y * torch.sigmoid(weights)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, WIDENING, SQUEEZED]
