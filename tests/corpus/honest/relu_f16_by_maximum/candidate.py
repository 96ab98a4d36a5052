import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.maximum(x.float(), torch.zeros(1)).half()
