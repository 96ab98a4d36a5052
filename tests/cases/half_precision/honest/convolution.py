import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    """Rounds after each of nine parts."""

    def forward(self, x, w, b):
        wide = F.pad(x, (1, 1, 1, 1))
        total = 0
        for i in range(3):
            for j in range(3):
                part = wide[:, :, i : i + x.shape[2], j : j + x.shape[3]]
                total = total + F.conv2d(part, w[:, :, i : i + 1, j : j + 1])
        return total + b.view(1, -1, 1, 1)
