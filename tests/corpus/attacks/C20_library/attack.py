import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.ops.aten.mm.default(a, b)
