import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        half = a.shape[1] // 2
        return torch.addmm(a[:, :half] @ b[:half], a[:, half:], b[half:])
