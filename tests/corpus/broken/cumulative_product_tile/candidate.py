import torch
from torch import nn

TILE = 32


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cat([torch.cumprod(tile, dim=0) for tile in x.split(TILE)])
