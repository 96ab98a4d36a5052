import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(8.0), persistent=False)

    def forward(self, x):
        return x + self.table


def get_inputs():
    return [torch.rand(8)]
