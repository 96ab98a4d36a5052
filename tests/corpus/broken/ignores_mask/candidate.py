import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, hidden):
        return torch.softmax(x, dim=1)
