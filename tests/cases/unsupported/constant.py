import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = [torch.rand(1 << 28)]

    def forward(self, x):
        return x + self.tables[0].sum()


def get_inputs():
    return [torch.rand(4)]
