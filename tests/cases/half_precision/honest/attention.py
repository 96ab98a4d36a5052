import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q.float(), k.float(), v.float()).to(q.dtype)
