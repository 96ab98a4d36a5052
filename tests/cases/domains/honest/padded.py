import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return (x * mask).sum(-1) / mask.sum(-1).clamp(min=1)
