import torch
from torch import nn
from torch.nn import functional


class Model(nn.Module):
    def forward(self, x, y):
        return functional.huber_loss(x, y), (x > 0) ^ (y > 0)


def get_inputs():
    return [torch.randn(4, 5), torch.randn(4, 5)]
