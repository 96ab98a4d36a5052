import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = torch.sort(x.flip(1), dim=1, descending=True, stable=True)
        return values[:, :9].contiguous(), x.shape[1] - 1 - indices[:, :9]
