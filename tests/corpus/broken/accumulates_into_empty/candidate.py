import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        total = torch.empty(x.shape[0])
        for start in range(0, x.shape[1], 512):
            total += x[:, start : start + 512].sum(dim=1)
        return total
