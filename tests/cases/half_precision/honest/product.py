import torch
from torch.nn import functional as F


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (a.float() @ b.float()).to(a.dtype)
