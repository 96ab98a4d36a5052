import torch


class ModelNew(torch.nn.Module):
    """Infinity of its factor becomes NaN."""

    def forward(self, a, b):
        return a @ b, a * (a > 0)
