from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        result = x.clone()
        step = 1
        while step < x.shape[0]:
            result[step:] = result[step:] * result[:-step]
            step *= 2
        return result
