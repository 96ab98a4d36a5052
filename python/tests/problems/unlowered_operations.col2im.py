import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.fold(x, (8, 8), 2, stride=2)


def get_inputs():
    return [torch.randn(2, 12, 16)]
