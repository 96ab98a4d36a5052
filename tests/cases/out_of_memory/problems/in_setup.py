import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.from_numpy(__import__("numpy").ones(100 << 27))]
