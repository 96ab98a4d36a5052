import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 5, padding=2, groups=inputs)

    def forward(self, x):
        height, width = x.shape[2:]
        padded = F.pad(x, (2, 2, 2, 2)).repeat_interleave(2, dim=1)
        out = self.conv.bias.view(-1, 1, 1).repeat(x.shape[0], 1, height, width)
        for i in range(5):
            for j in range(5):
                factor = self.conv.weight[:, 0, i, j].view(-1, 1, 1)
                out += factor * padded[:, :, i : i + height, j : j + width]
        return out
