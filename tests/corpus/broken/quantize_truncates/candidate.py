import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-5) / 127
        return (x / scale).to(torch.int8), scale
