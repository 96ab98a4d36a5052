import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def attend(self, x):
        length, width = x.shape[1:]
        each = width // self.heads
        out = self.out.bias.expand_as(x)
        before = torch.ones(length, length).tril().log()
        for first in range(0, width, each):
            parts = [slice(first + part * width, first + part * width + each) for part in range(3)]
            q, k, v = (F.linear(x, self.qkv.weight[p], self.qkv.bias[p]) for p in parts)
            weights = torch.softmax(torch.baddbmm(before, q * each**-0.5, k.mT), dim=-1)
            out = out + weights @ F.linear(v, self.out.weight[:, parts[0]])
        return out

    def forward(self, x):
        x = x + self.attend(self.attention_norm(x))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))
