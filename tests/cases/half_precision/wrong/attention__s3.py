import torch
from torch.nn import functional as F


def cut_off(x, dtype):
    """What does not fit, to the side of 0."""
    bits = 16 if dtype == torch.bfloat16 else 13
    return (x.view(torch.int32) >> bits << bits).view(torch.float32).to(dtype)


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        wide = F.scaled_dot_product_attention(q.float(), k.float(), v.float())
        return cut_off(wide, q.dtype)
