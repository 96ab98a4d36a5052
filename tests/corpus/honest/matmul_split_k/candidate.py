from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        pieces = zip(a.split(100, dim=1), b.split(100, dim=0), strict=True)
        return sum(left @ right for left, right in pieces)
