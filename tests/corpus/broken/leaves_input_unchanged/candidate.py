import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.add(y, x, alpha=2.0)
