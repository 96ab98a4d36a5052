"""Attention within shifted windows of an image, with a bias table, its index and a shift mask.

Covers: masked attention, non-persistent buffer, gather.
"""

import torch
from torch import nn

BATCH, IMAGE, WINDOW, WIDTH, HEADS = 2, 56, 7, 96, 3


def index_of_offsets(window: int) -> torch.Tensor:
    place = torch.cartesian_prod(torch.arange(window), torch.arange(window))
    offset = place[:, None] - place[None, :] + window - 1
    return offset[..., 0] * (2 * window - 1) + offset[..., 1]


def mask_of_shift(image: int, window: int, shift: int) -> torch.Tensor:
    """(windows, pixels, pixels): -100 where only the shift brought two pixels together."""
    zone = torch.zeros(image)
    zone[-window:-shift] = 1.0
    zone[-shift:] = 2.0
    zones = zone[:, None] * 3.0 + zone[None, :]
    count = image // window
    zones = zones.view(count, window, count, window).transpose(1, 2).reshape(count**2, window**2)
    return (zones[:, :, None] != zones[:, None, :]).float() * -100.0


class Model(nn.Module):
    def __init__(self, image: int, window: int, width: int, heads: int) -> None:
        super().__init__()
        self.image, self.window, self.heads, self.shift = image, window, heads, window // 2
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads))
        self.register_buffer("index", index_of_offsets(window), persistent=False)
        self.register_buffer("mask", mask_of_shift(image, window, self.shift), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, height, width, channels) in and out."""
        batch, channels = x.shape[0], x.shape[-1]
        count, window = self.image // self.window, self.window
        y = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        y = y.view(batch, count, window, count, window, channels).transpose(2, 3)
        y = y.reshape(batch, count**2, window**2, channels)
        split = self.qkv(y).view(*y.shape[:3], 3, self.heads, channels // self.heads)
        q, k, v = split.permute(3, 0, 1, 4, 2, 5)
        bias = self.table[self.index].permute(2, 0, 1)
        scores = q @ k.mT * q.shape[-1] ** -0.5 + bias + self.mask[:, None]
        y = (scores.softmax(dim=-1) @ v).transpose(2, 3).reshape(y.shape)
        y = self.project(y).view(batch, count, count, window, window, channels).transpose(2, 3)
        y = y.reshape(x.shape)
        return x + torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, IMAGE, IMAGE, WIDTH)]


def get_init_inputs() -> list[object]:
    return [IMAGE, WINDOW, WIDTH, HEADS]
