import torch


class ModelNew(torch.nn.Module):
    """Infinity is another number."""

    def forward(self, a, b):
        return (a @ b).clamp(-2e38, 2e38).nan_to_num(nan=0.5)
