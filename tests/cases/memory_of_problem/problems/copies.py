import torch
from torch import nn

rows = 640
width = 16384


class Model(nn.Module):
    def forward(self, x):
        return torch.cat([x, x * 2] * 8, dim=1).mean(dim=1)


def get_inputs():
    return [torch.randn(rows, width)]
