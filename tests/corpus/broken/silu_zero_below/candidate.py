import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(x < -4.8, torch.zeros_like(x), x * torch.sigmoid(x))
