import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.sum(dim=1, dtype=torch.float64).float()
