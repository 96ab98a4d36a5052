import torch
import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(width) + 0.5)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-4) * self.scale
        both = F.linear(y, torch.cat([self.up.weight, self.gate.weight]))
        up, gate = both.chunk(2, dim=-1)
        return torch.addmm(x, up * gate * torch.sigmoid(gate), self.down.weight.t())
