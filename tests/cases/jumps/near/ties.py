"""A few roundings off."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        most = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-5)
        return torch.round(x * (127.00003 / most)).to(torch.int8)
