from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.double().sum(dim=1)
