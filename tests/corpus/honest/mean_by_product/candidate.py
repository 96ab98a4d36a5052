import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x @ torch.full((x.shape[1], 1), 1.0 / x.shape[1])
