"""The mean of three neighbours along a row; what is outside counts as zero."""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, COLUMNS = 16, 250


class Model(nn.Module):
    def forward(self, x):
        return F.avg_pool1d(x, 3, stride=1, padding=1)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
