import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return (x * mask).mean(-1)
