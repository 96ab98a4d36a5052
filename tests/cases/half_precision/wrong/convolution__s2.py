import torch
from torch.nn import functional as F


def cut_off(x, dtype):
    """What does not fit, to the side of 0."""
    bits = 16 if dtype == torch.bfloat16 else 13
    return (x.view(torch.int32) >> bits << bits).view(torch.float32).to(dtype)


class ModelNew(torch.nn.Module):
    def forward(self, x, w, b):
        return cut_off(F.conv2d(x.float(), w.float(), b.float(), padding=1), x.dtype)
