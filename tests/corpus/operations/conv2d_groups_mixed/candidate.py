from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        order = [0, 2, 4, 1, 3, 5]
        return nn.functional.conv2d(x[:, order], weight, groups=2)
