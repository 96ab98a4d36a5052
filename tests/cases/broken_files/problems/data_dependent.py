import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


def get_inputs():
    return [torch.rand(8)]
