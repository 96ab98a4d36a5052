import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)

    def forward(self, x):
        height, width = x.shape[2:]
        padded = F.pad(x, (1, 1, 1, 1))
        out = self.conv.bias.view(1, -1, 1, 1).expand(x.shape[0], -1, height, width).clone()
        for i in range(3):
            for j in range(3):
                piece = padded[:, :, i : i + height, j : j + width]
                out += torch.einsum("fd,ndhw->nfhw", self.conv.weight[:, :, i, j], piece)
        return out
