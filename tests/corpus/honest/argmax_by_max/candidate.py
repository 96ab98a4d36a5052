from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.max(dim=1).indices
