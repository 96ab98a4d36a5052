import sys
import torch

sys.setrecursionlimit(50)
sys.settrace(lambda *args: 1 / 0)


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(8)]
