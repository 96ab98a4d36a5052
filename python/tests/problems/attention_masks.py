import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class Model(nn.Module):
    def forward(self, x, bias):
        causal = torch.ones(5, 5, dtype=torch.bool).tril()
        first = scaled_dot_product_attention(x, x, x, attn_mask=causal)
        return first, scaled_dot_product_attention(x, x, first, attn_mask=bias, scale=0.3)


def get_inputs():
    return [torch.randn(2, 3, 5, 8), torch.randn(5, 5)]
