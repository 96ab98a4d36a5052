import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.cosine_embedding_loss(x, x.flip(1), torch.ones(4))


def get_inputs():
    return [torch.randn(4, 5)]
