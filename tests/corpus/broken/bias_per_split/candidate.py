import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        half = x.shape[1] // 2
        weight, bias = self.linear.weight, self.linear.bias
        first = F.linear(x[:, :half], weight[:, :half], bias)
        return torch.relu(first + F.linear(x[:, half:], weight[:, half:], bias))
