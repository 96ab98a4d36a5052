from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return nn.functional.conv2d(nn.functional.pad(x, (1, 1, 1, 1), mode="replicate"), weight)
