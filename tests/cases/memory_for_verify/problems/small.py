import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x - x.mean()


def get_inputs():
    return [torch.rand(1000)]
