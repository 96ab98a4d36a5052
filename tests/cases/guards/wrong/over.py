import torch


class ModelNew(torch.nn.Module):
    """NaN is positive."""

    def forward(self, a, b):
        return ~(a @ b <= 0)
