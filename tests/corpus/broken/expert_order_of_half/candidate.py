from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(64, 32, bias=False)

    def forward(self, x):
        experts = self.gate(x).topk(2).indices.flatten()
        return (experts % 16).argsort(stable=True)
