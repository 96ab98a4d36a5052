from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, residual):
        return nn.functional.layer_norm(x + residual, (x.shape[1],), eps=1e-7)
