import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        padded = F.pad(x, (1, 1))
        return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3.0
