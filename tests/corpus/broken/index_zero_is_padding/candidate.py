import torch.nn.functional as F
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, indices):
        return F.embedding(indices, self.table.weight) * (indices != 0).unsqueeze(1)
