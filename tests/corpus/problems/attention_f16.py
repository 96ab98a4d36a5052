"""Attention in half precision."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v)


def get_inputs():
    return [
        torch.randn(2, 2, 49, 24).half(),
        torch.randn(2, 2, 49, 24).half(),
        torch.randn(2, 2, 49, 24).half(),
    ]


def get_init_inputs():
    return []
