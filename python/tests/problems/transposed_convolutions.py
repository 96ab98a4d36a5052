import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.ConvTranspose1d(4, 4, 3, stride=2, groups=4)
        self.two = nn.ConvTranspose2d(4, 4, 3, 2, 1, 1, groups=4, bias=False)
        self.three = nn.ConvTranspose3d(4, 4, 3, stride=2, groups=4, dilation=2)

    def forward(self, x):
        return self.one(x[:, :, 0, 0]), self.two(x[:, :, 0]), self.three(x)


def get_inputs():
    return [torch.randn(2, 4, 3, 4, 5)]
