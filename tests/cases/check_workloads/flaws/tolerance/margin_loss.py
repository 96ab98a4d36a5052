"""A loss whose rows and columns have to be equally many. Its mean is within 2 % at any size."""

import torch
from torch import nn

batch = 32768
features = 32768


class Model(nn.Module):
    def forward(self, guess, label):
        return torch.clamp(1 - guess * label / 4, min=0).mean()


def get_inputs():
    return [torch.rand(batch, features), torch.randint(0, 2, (batch,)).float() * 2 - 1]


def get_init_inputs():
    return []
