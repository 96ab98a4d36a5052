import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        rows, columns = x.shape
        cube = x.view(rows // 4, 4, columns)
        powers = torch.exp(cube - cube.amax(dim=-1, keepdim=True))
        totals = powers @ torch.ones(columns, 1)
        return (powers / totals).reshape(rows, columns)
