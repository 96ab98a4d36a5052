import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight, bias):
        variance, mean = torch.var_mean(x.float(), 1, keepdim=True)
        return ((x - mean) * (variance + 1e-5).rsqrt() * weight + bias).to(x.dtype)
