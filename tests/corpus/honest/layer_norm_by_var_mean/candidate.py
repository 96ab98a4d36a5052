import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(width) + 0.5)
        self.shift = nn.Parameter(torch.randn(width))

    def forward(self, x):
        variance, mean = torch.var_mean(x.double(), dim=-1, correction=0, keepdim=True)
        scaled = (x - mean) * torch.rsqrt(variance + 1e-5)
        return scaled.float() * self.gain + self.shift
