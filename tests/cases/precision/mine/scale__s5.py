import torch


class ModelNew(torch.nn.Module):
    compiled = staticmethod(torch.compile(lambda x, y: x * 2 + y))

    def forward(self, x, y):
        return self.compiled(x, y)
