import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b, bias):
        return nn.functional.relu(torch.matmul(a, b)) + bias
