import torch
from torch import nn


class ModelNew(nn.Module):
    """The messages in the order of their targets."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, edges, shares):
        order = edges[1].argsort(stable=True)
        source, target = edges[:, order]
        degree = torch.bincount(target, minlength=len(x)).clamp(min=1)
        messages = self.linear(x).index_select(0, source) / degree[target].unsqueeze(1)
        return torch.zeros_like(x).index_add_(0, target, messages) / shares ** 0.5
