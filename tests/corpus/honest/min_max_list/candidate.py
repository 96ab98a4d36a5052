import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        least, largest = torch.aminmax(x, dim=1)
        return [least, largest]
