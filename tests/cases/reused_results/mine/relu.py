import torch


class ModelNew(torch.nn.Module):
    """Writes all of one buffer anew at each call, and returns it."""

    def __init__(self):
        super().__init__()
        self.out = torch.empty(64, 64)

    def forward(self, x):
        return torch.clamp(x, min=0.0, out=self.out)
