import torch
from torch import nn


class ModelNew(nn.Module):
    """Of edges that come twice it takes one: the file's own have none such."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, edges, shares):
        source, target = torch.unique(edges, dim=1)
        degree = torch.bincount(target, minlength=len(x)).clamp(min=1)
        messages = self.linear(x)[source] / degree[target, None]
        return torch.zeros_like(x).index_add_(0, target, messages) / shares.sqrt()
