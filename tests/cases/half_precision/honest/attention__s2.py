import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    """Rounds after each step."""

    def forward(self, q, k, v):
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        return scores.softmax(-1) @ v
