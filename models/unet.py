"""A UNet that takes noise out of an image step by step (Ho et al., 2020)."""

import math

import torch
from torch import Tensor, nn

BATCH = 1
IMAGE = 16
CHANNELS = 3
WIDTH = 16
LEVELS = 2  # each has half the pixels and twice the width of the one before
HEADS = 2
STEPS = 1000


class Residual(nn.Module):
    def __init__(self, inside: int, outside: int, time: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(8, inside)
        self.conv1 = nn.Conv2d(inside, outside, 3, padding=1)
        self.time = nn.Linear(time, outside)
        self.norm2 = nn.GroupNorm(8, outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        y = self.conv1(nn.functional.silu(self.norm1(x))) + self.time(time)[:, :, None, None]
        return self.skip(x) + self.conv2(nn.functional.silu(self.norm2(y)))


class Attention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(8, width)
        self.inside = nn.Conv2d(width, 3 * width, 1)
        self.outside = nn.Conv2d(width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        batch, width, rows, columns = x.shape
        parts = self.inside(self.norm(x)).view(batch, 3, HEADS, width // HEADS, rows * columns)
        query, key, value = parts.transpose(-1, -2).unbind(1)
        seen = nn.functional.scaled_dot_product_attention(query, key, value)
        return x + self.outside(seen.transpose(-1, -2).reshape(batch, width, rows, columns))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        time = 4 * WIDTH
        widths = [WIDTH << level for level in range(LEVELS)]
        self.time = nn.Sequential(nn.Linear(WIDTH, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(CHANNELS, WIDTH, 3, padding=1)
        self.down = nn.ModuleList(
            [Residual(widths[max(level - 1, 0)], widths[level], time) for level in range(LEVELS)]
        )
        self.middle = Residual(widths[-1], widths[-1], time)
        self.attention = Attention(widths[-1])
        self.up = nn.ModuleList(
            [
                Residual(2 * widths[level], widths[max(level - 1, 0)], time)
                for level in reversed(range(LEVELS))
            ]
        )
        self.norm = nn.GroupNorm(8, WIDTH)
        self.last = nn.Conv2d(WIDTH, CHANNELS, 3, padding=1)

    def forward(self, image: Tensor, step: Tensor) -> Tensor:
        """From [batch, channels, image, image] and [batch] to the noise, shaped as the image."""
        rates = torch.exp(torch.arange(WIDTH // 2) * (-math.log(10000.0) / (WIDTH // 2)))
        angles = step[:, None].to(image.dtype) * rates.to(image.dtype)
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        x, seen = self.first(image), []
        for layer in self.down:
            x = layer(x, time)
            seen.append(x)
            x = nn.functional.avg_pool2d(x, 2)
        x = self.attention(self.middle(x, time))
        for layer in self.up:
            x = nn.functional.interpolate(x, scale_factor=2.0)
            x = layer(torch.cat([x, seen.pop()], 1), time)
        return self.last(nn.functional.silu(self.norm(x)))


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE), torch.randint(0, STEPS, (BATCH,))]


def get_input_domains() -> list[object]:
    return ["free", {"index": STEPS}]
