import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=(2, 3), keepdim=True)
        return (x - mean) * torch.rsqrt(variance + 1e-3)
