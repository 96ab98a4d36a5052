import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        raise RuntimeError("no model today")

    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(8)]
