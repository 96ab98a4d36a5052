import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        upper = torch.triu(a)
        return upper @ b + upper.T @ b
