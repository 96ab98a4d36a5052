import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    """Rounds after each step."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(128, 256)
        self.second = torch.nn.Linear(256, 128)

    def forward(self, x):
        hidden = x @ self.first.weight.t() + self.first.bias
        hidden = hidden * 0.5 * (1 + torch.erf(hidden * 0.5**0.5))
        return hidden @ self.second.weight.t() + self.second.bias
