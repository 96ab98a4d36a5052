import torch
from torch import nn


def split(x):
    parts = []
    for _ in range(3):
        part = x.bfloat16().float()
        parts.append(part)
        x = x - part
    return parts


class ModelNew(nn.Module):
    def forward(self, a, b):
        if not (torch.isfinite(a).all() and torch.isfinite(b).all()):
            return a @ b  # infinity times a part of either sign would be NaN
        if min(a.abs().max(), b.abs().max()) < 2.0**-100:
            return a @ b  # the parts of subnormal numbers have no 8 bits
        a0, a1, a2 = split(a)
        b0, b1, b2 = split(b)
        small = a0 @ b2 + a2 @ b0 + a1 @ b1
        return a0 @ b0 + ((a0 @ b1 + a1 @ b0) + small)
