import torch
from torch import nn


class Model(nn.Module):
    def forward(self, a, b, c):
        return torch.einsum("...i,...i,...i->...", a, b, c), torch.einsum("ij->", a)


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)]
