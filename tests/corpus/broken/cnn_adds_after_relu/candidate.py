import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))
        self.register_buffer("mean", torch.randn(channels))
        self.register_buffer("variance", torch.rand(channels) + 0.25)

    def forward(self, x):
        return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, False, 0.1, 1e-5)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.first_norm = Norm(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = Norm(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=2, bias=False)
        self.shortcut_norm = Norm(outputs)

    def forward(self, x):
        y = torch.relu(self.first_norm(self.first(x)))
        y = torch.relu(self.second_norm(self.second(y)))
        return y + torch.relu(self.shortcut_norm(self.shortcut(x)))
