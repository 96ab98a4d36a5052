import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=(2, 3), dilation=(2, 3))

    def forward(self, x):
        down, right = self.conv.dilation
        out = torch.empty(x.shape[0], self.conv.out_channels, *x.shape[2:])
        for i in range(down):
            for j in range(right):
                phase = x[:, :, i::down, j::right]
                made = F.conv2d(phase, self.conv.weight, self.conv.bias, padding=1)
                out[:, :, i::down, j::right] = made
        return out
