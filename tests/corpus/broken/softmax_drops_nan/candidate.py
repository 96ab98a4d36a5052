import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(torch.nan_to_num(x), dim=1)
