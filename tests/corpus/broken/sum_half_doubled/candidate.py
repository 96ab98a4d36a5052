from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return 2.0 * x[:, ::2].sum(dim=1)
