import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = torch.topk(x, 9)
        indices[:, 0] = 0
        return values, indices
