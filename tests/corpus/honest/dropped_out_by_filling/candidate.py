from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, kept):
        return (x + x).masked_fill(~kept, 0.0)
