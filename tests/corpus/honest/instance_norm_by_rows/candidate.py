import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        rows = x.flatten(2)
        variance, mean = torch.var_mean(rows, dim=2, correction=0, keepdim=True)
        return ((rows - mean) / torch.sqrt(variance + 1e-3)).view_as(x)
