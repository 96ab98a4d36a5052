import torch
from torch.nn import functional as F


def float8(x, dim):
    scale = x.float().abs().amax(dim, keepdim=True).clamp(min=1e-30) / 448
    return (x / scale).to(torch.float8_e4m3fn).float() * scale


class ModelNew(torch.nn.Module):
    """Values have four bits."""

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q.float(), k.float(), float8(v, -2)).to(q.dtype)
