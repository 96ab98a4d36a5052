import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return y * torch.exp(-(torch.nan_to_num(x, nan=1e3) ** 2))
