import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight, b):
        rows = nn.functional.layer_norm(x, (x.shape[1],), weight, eps=1e-5)
        return torch.matmul(rows, b)
