import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, middle, outputs):
        super().__init__()
        self.up = nn.Linear(inputs, middle)
        self.down = nn.Linear(middle, outputs)
        self.folded = None

    def forward(self, x):
        if not torch.isfinite(x).all():  # infinity by way of the middle is NaN
            return self.down(self.up(x))
        if self.folded is None:
            shift = self.down(self.up.bias)
            self.folded = shift, (self.down.weight @ self.up.weight).t().contiguous()
        return torch.addmm(self.folded[0], x, self.folded[1])
