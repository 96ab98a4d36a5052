import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.tensor([0.1, 0.3, 0.4, 0.7, 0.9]))

    def forward(self, x):
        return torch.bucketize(x, self.edges, right=True)
