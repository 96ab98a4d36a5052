from torch import nn


class ModelNew(nn.Module):
    def forward(self, table, index):
        return table[index.clamp(max=table.shape[0] - 2)]
