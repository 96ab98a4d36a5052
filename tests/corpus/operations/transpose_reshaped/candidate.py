from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.reshape(x.shape[0], x.shape[2], x.shape[1]).clone()
