import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        carry = torch.zeros(x.shape[0], 1)
        blocks = []
        for block in x.split(128, dim=1):
            done = torch.cumsum(block, dim=1) + carry
            carry = done[:, -1:]
            blocks.append(done)
        return torch.cat(blocks, dim=1)
