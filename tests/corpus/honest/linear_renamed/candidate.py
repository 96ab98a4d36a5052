from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        made = nn.Linear(inputs, outputs)
        self.w = nn.Parameter(made.weight.detach().clone())
        self.b = nn.Parameter(made.bias.detach().clone())

    def forward(self, x):
        return (x @ self.w.t() + self.b).clamp_min(0)
