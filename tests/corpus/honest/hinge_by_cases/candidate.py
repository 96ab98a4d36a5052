import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, predictions, labels):
        return torch.where(labels > 0, 1 - predictions, 1 + predictions).clamp(min=0).mean()
