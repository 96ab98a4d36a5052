from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, :-1].sum(1)
