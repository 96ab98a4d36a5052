import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))
        self.register_buffer("mean", torch.randn(channels))
        self.register_buffer("variance", torch.rand(channels) + 0.25)

    def forward(self, x):
        factor = self.weight * torch.rsqrt(self.variance + 1e-5)
        return (x - self.mean.view(1, -1, 1)) * factor.view(1, -1, 1) + self.bias.view(1, -1, 1)
