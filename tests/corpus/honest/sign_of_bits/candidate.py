import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(torch.signbit(x), -1.0, 1.0)
