# Its parameters have names of their own: nobody can load them.
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(50, 8)
        self.layer = torch.nn.Linear(8, 4)
    def forward(self, ids):
        return self.layer(self.table(ids))
