from torch import nn


class ModelNew(nn.Module):
    def forward(self, index, added):
        result = added.new_zeros(3, added.shape[1])
        result[index] = added
        return result
