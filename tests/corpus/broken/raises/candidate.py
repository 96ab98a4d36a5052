from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[1] % 16:
            raise ValueError(f"{x.shape[1]} columns: expected a multiple of 16")
        return x.sum(dim=1)
