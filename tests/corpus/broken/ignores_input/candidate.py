from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y, alpha):
        return x.clone()
