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

    def folded(self, conv):
        """The convolution with what follows it in its weight and bias."""
        factor = self.weight * torch.rsqrt(self.variance + 1e-5)
        return conv.weight * factor.view(-1, 1, 1, 1), self.bias - self.mean


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
        y = torch.relu(F.conv2d(x, *self.first_norm.folded(self.first), stride=2, padding=1))
        y = F.conv2d(y, *self.second_norm.folded(self.second), padding=1)
        return torch.relu(y + F.conv2d(x, *self.shortcut_norm.folded(self.shortcut), stride=2))
