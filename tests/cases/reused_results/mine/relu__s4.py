import torch


class ModelNew(torch.nn.Module):
    """Keeps it the other way round: what it returns has gaps."""

    def __init__(self):
        super().__init__()
        self.out = torch.empty(64, 64)

    def forward(self, x):
        return torch.clamp(x.t(), min=0.0, out=self.out).t()
