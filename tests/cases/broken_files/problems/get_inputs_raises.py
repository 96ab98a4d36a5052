import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    raise OSError("no inputs today")
