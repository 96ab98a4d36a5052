import torch
import torch.nn.functional as F
from torch import nn


def stored(x):
    return x.to(torch.float8_e4m3fn).float()


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, stored(k), stored(v))
