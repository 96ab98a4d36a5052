import torch


class ModelNew(torch.nn.Module):
    """NaN minus infinity is NaN."""

    def forward(self, a, b):
        return a @ b + torch.full((24, 32), -torch.inf).triu(1)
