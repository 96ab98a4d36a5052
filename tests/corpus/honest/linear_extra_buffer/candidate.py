import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.register_buffer("one", torch.tensor(1.0), persistent=False)

    def forward(self, x):
        y = self.linear(x)
        return F.gelu(y * self.one)
