import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.activation = nn.PReLU()

    def forward(self, x):
        return torch.where(x < 0, self.activation.weight * x, x)
