import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(3, affine=True)
        self.norm.weight.copy_(torch.randn(3))
        self.norm.bias.copy_(torch.randn(3))

    def forward(self, x):
        return self.norm(x) + nn.functional.instance_norm(x)


def get_inputs():
    return [torch.randn(2, 3, 5, 6)]
