import time

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    time.sleep(1000)
    return [torch.rand(8)]
