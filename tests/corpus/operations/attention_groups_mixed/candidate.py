from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        k, v = k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)
        return nn.functional.scaled_dot_product_attention(q, k, v)
