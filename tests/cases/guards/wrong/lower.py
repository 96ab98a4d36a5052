import torch


class ModelNew(torch.nn.Module):
    """0 times NaN is NaN."""

    def forward(self, a, b):
        return (a @ b) * torch.ones(24, 32).tril()
