import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (torch.cumsum(x.float(), 1) - x.float()).to(x.dtype)
