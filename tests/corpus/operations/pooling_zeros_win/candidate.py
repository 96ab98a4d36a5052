from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return nn.functional.max_pool2d(nn.functional.pad(x, (1, 1, 1, 1)), 3, stride=2)
