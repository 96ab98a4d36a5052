from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, weight, bias):
        return nn.functional.relu(nn.functional.conv2d(x, weight)) + bias
