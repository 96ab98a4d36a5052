import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.h0 = torch.randn(2, 3, 8)
        self.c0 = torch.randn(2, 3, 8)
        self.last = torch.randn(6, 3, 4)
        self.net = nn.LSTM(4, 8, 2)

    def forward(self, x):
        self.h0 = self.h0.to(x.device)
        self.c0 = self.h0.to(x.device)
        y, _ = self.net(x + self.last, (self.h0, self.c0))
        self.last = x
        return y


def get_inputs():
    return [torch.randn(6, 3, 4)]
