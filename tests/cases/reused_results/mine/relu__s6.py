import torch


class ModelNew(torch.nn.Module):
    """Adds to what it keeps: right where that is what it was when the model was built."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(64, 64)

    def forward(self, x):
        self.total += torch.relu(x)
        return self.total
