import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)

    def forward(self, x):
        patches = F.unfold(x, 3, padding=1)
        weight = self.conv.weight.flatten(1)
        out = weight @ patches + self.conv.bias.unsqueeze(1)
        return out.view(x.shape[0], -1, x.shape[2], x.shape[3])
