import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(96, 32)

    def forward(self, x):
        w = self.gate.weight
        logits = x[:, :48] @ w[:, :48].t() + x[:, 48:] @ w[:, 48:].t() + self.gate.bias
        return torch.topk(logits, 4)
