import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(64, 24, bias=False)

    def forward(self, x):
        experts = self.gate(x).topk(2).indices
        mask = (experts[:, :, None] == torch.arange(24)).any(1).long()
        return mask, mask.sum(0)
