import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        indices = torch.argsort(x, dim=1, stable=True)
        return x.gather(1, indices), indices
