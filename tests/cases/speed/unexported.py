import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.svdvals(x)


def get_inputs():
    return [torch.rand(24, 24)]
