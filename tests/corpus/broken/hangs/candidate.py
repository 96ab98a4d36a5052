import threading

from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        threading.Event().wait()
        return x.sum(dim=1)
