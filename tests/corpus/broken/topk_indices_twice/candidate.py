import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = torch.topk(x, 9)
        equal = (x[:, None, :] == values[:, :, None]).int()
        return values, torch.where(values.isnan(), indices, equal.argmax(dim=2))
