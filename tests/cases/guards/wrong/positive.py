import torch


class ModelNew(torch.nn.Module):
    """0 times infinity is NaN."""

    def forward(self, a, b):
        product = a @ b
        return product * (product > 0)
