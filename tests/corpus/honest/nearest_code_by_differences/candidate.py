import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(40, 24))

    def forward(self, x):
        nearest = (x[:, None] - self.codes).square().sum(2).argmin(1)
        return self.codes[nearest], nearest
