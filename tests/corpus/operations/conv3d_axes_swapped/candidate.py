from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return nn.functional.conv3d(x, weight.transpose(3, 4))
