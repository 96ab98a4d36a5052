import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, x):
        return torch.matmul(a[:, :-1], x[:-1])
