import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        result = torch.softmax(8.0 * x, dim=1)
        return torch.where(result < 5e-7, 0.0, result)
