import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, allowed):
        return torch.zeros_like(x).scatter(1, x.topk(4).indices, 1.0)
