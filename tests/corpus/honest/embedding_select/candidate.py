from torch import nn


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.rows = nn.Parameter(nn.Embedding(rows, width).weight.detach().clone())

    def forward(self, indices):
        return self.rows.index_select(0, indices)
