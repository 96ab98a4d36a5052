import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(50, 8)
        self.layer = torch.nn.Linear(8, 4)
    def forward(self, ids):
        return torch.exp(self.layer(self.table(ids)))  # what the sum is for is left out
