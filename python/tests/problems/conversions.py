"""Weights too large to be real while the model is built, converted back and forth."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(512, 512).to("cpu").double()
        self.tied = nn.Linear(512, 512, bias=False)
        self.tied.weight = self.layer.weight
        self.float()

    def forward(self, x):
        return self.tied(self.layer(x))


def get_inputs():
    return [torch.randn(2, 512)]
