import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, points):
        return torch.where(points > 30, points, 0.0)
