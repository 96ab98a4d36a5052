import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return sum(chunk.to(torch.int64).sum(dim=1) for chunk in x.split(64, dim=1))
