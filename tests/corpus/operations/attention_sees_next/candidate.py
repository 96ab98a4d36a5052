import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(1)
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
