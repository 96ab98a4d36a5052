from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.amax(dim=1), x.amin(dim=1)
