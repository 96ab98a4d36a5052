from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return x / (x.square().mean(1, keepdim=True).sqrt() + 1e-5) * weight
