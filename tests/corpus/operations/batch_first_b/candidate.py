import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b[:1])
