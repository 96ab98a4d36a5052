"""What is between is eight times as large as the result."""

import torch
from torch import nn

rows = 2048
columns = 8192


class Model(nn.Module):
    def forward(self, x, y):
        total = x + y
        for _ in range(3):
            total = torch.cat([total, total], dim=1)
        return total[:, :columns]


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []
