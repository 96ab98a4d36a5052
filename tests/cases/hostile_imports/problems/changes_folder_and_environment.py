import os

import torch

os.chdir("/")
os.environ.clear()
os.umask(0o777)


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(8)]
