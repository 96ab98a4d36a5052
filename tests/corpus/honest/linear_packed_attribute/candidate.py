import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.packed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        return torch.relu(torch.addmm(self.linear.bias, x, self.packed))
