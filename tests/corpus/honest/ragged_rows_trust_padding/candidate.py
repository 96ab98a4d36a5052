from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        return x.sum(dim=1)
