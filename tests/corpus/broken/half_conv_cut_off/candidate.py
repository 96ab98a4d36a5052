import torch
from torch.nn import functional as F


def cut_off(x):
    return (x.view(torch.int32) >> 13 << 13).view(torch.float32).half()


class ModelNew(torch.nn.Module):
    def forward(self, x, w, b):
        return cut_off(F.conv2d(x.float(), w.float(), b.float(), padding=1))
