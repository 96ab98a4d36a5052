from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.view(x.shape[0], 64, -1).mean(dim=2).mean(dim=1, keepdim=True)
