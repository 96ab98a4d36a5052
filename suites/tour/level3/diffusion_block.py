"""A residual block of a diffusion model, told the step by sinusoids of an integer input.

Covers: integer input, group norm, residual block.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

BATCH, IN_CHANNELS, OUT_CHANNELS, GROUPS, IMAGE, STEPS, STEP_WIDTH = 4, 64, 96, 16, 32, 1000, 128


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, groups: int, step_width: int) -> None:
        super().__init__()
        self.step_width = step_width
        self.norm1 = nn.GroupNorm(groups, in_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.step = nn.Linear(step_width, 2 * out_channels)
        self.norm2 = nn.GroupNorm(groups, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.shortcut = nn.Conv2d(in_channels, out_channels, 1)

    def forward(self, x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        half = self.step_width // 2
        rates = torch.exp(-math.log(10_000.0) * torch.arange(half, device=x.device) / half)
        angles = steps[:, None] * rates
        embedded = torch.cat([angles.sin(), angles.cos()], dim=1).to(x.dtype)
        scale, shift = self.step(F.silu(embedded))[:, :, None, None].chunk(2, dim=1)
        y = self.conv1(F.silu(self.norm1(x)))
        y = self.conv2(F.silu(self.norm2(y) * (1.0 + scale) + shift))
        return self.shortcut(x) + y


def get_inputs() -> list[torch.Tensor]:
    images = torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)
    return [images, torch.randint(0, STEPS, (BATCH,))]


def get_init_inputs() -> list[object]:
    return [IN_CHANNELS, OUT_CHANNELS, GROUPS, STEP_WIDTH]
