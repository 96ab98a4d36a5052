import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, scores, mask, values):
        weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), -1)
        return (weights @ values) * (mask != 0).any(-1, keepdim=True)
