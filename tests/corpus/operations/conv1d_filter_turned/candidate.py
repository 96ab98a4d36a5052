from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return nn.functional.conv1d(x, weight.flip(2))
