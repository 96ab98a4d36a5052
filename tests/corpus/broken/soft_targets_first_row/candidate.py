import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, scores, targets):
        return -(targets[:1] * torch.log_softmax(scores, dim=1)).sum(dim=1)
