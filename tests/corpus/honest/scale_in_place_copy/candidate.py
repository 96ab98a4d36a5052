from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        doubled = x + x
        x.copy_(doubled)
        return doubled + y
