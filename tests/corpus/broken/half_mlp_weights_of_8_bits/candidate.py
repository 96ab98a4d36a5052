import torch
from torch.nn import functional as F


def eight_bits(x):
    step = x.float().abs().amax(1, keepdim=True).clamp(min=1e-20) / 127
    return (x / step).round() * step


class ModelNew(torch.nn.Module):
    def forward(self, x, first, second):
        hidden = F.gelu(F.linear(x.float(), eight_bits(first)))
        return F.linear(hidden, eight_bits(second)).half()
