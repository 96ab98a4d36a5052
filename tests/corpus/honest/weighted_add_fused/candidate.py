import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y, alpha):
        return torch.add(x, y, alpha=alpha)
