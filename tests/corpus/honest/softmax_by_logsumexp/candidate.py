import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.amax(dim=1, keepdim=True)
        shifted = x - top
        return torch.exp(shifted - shifted.exp().sum(dim=1, keepdim=True).log())
