"""A product of 8-bit integers, summed in 32 bits."""

import torch
from torch import nn

M, K, N = 33, 300, 45


class Model(nn.Module):
    def forward(self, a, b):
        return a.to(torch.int32) @ b.to(torch.int32)


def get_inputs():
    return [
        torch.randint(-128, 128, (M, K), dtype=torch.int8),
        torch.randint(-128, 128, (K, N), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
