import time

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


# Bit by bit, and never more than 4 GiB, should nobody stop it.
taken = []
for _ in range(40):
    taken.append(bytearray(b"x") * (100 << 20))
    time.sleep(0.1)


def get_inputs():
    return [torch.rand(8)]
