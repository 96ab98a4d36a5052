import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    """Rounds after each of four parts."""

    def forward(self, a, b):
        total = a[:, :64] @ b[:64]
        for k in range(64, 256, 64):
            total = total + a[:, k : k + 64] @ b[k : k + 64]
        return total
