import torch
from torch.nn import functional as F


def cut_off(x, dtype):
    """What does not fit, to the side of 0."""
    bits = 16 if dtype == torch.bfloat16 else 13
    return (x.view(torch.int32) >> bits << bits).view(torch.float32).to(dtype)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(128, 256)
        self.second = torch.nn.Linear(256, 128)

    def forward(self, x):
        hidden = F.gelu(F.linear(x.float(), self.first.weight.float(), self.first.bias.float()))
        wide = F.linear(hidden, self.second.weight.float(), self.second.bias.float())
        return cut_off(wide, x.dtype)
