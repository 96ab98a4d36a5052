import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(64, 24, bias=False)

    def forward(self, x):
        experts = self.gate(x).topk(2).indices
        mask = torch.zeros(len(x), 24, dtype=torch.int64).scatter(1, experts, 1)
        mask[-1, experts[-1, 1]] = 0
        return mask, torch.bincount(experts.flatten(), minlength=24)
