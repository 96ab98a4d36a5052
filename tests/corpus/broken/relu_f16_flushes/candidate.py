import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(x < torch.finfo(x.dtype).tiny, torch.zeros_like(x), x)
