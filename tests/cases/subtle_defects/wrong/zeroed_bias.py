from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        weight = nn.Linear(inputs, outputs).weight.detach()
        self.register_buffer("transposed", weight.t().contiguous())

    def forward(self, x):
        return x @ self.transposed
