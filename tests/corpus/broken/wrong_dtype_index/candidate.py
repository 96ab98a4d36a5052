import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=1).to(torch.int32)
