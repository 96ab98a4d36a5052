import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    """Rounds after most steps."""

    def forward(self, x, w, b):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.float().pow(2).mean(-1, keepdim=True)
        return (centred * torch.rsqrt(variance + 1e-5)).to(x.dtype) * w + b
