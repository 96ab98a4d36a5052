import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        conv, norm = nn.Conv2d(3, 7, 3), nn.BatchNorm2d(7)
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        self.weight = (conv.weight * scale[:, None, None, None]).detach()
        self.bias = ((conv.bias - norm.running_mean) * scale + norm.bias).detach()

    def forward(self, x):
        return torch.relu(nn.functional.conv2d(x, self.weight, self.bias))
