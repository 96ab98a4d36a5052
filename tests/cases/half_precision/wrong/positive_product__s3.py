import torch
from torch.nn import functional as F


def cut_off(x, dtype):
    """What does not fit, to the side of 0."""
    bits = 16 if dtype == torch.bfloat16 else 13
    return (x.view(torch.int32) >> bits << bits).view(torch.float32).to(dtype)


class ModelNew(torch.nn.Module):
    """Each result is nearer to 0, by half a step on the whole."""

    def forward(self, a, b):
        return cut_off(a.float() @ b.float(), a.dtype)
