"""Scaled dot-product attention to many keys, of which none stands out."""

import torch
from torch import nn

HEADS, QUERIES, KEYS, WIDTH = 3, 5, 211, 16


class Model(nn.Module):
    def forward(self, q, k, v):
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    return [torch.rand(HEADS, count, WIDTH) for count in (QUERIES, KEYS, KEYS)]


def get_init_inputs():
    return []
