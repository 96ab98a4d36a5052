from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        e = x.exp()
        return e / e.sum(1, keepdim=True)
