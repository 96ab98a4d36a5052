import torch


def cut_off(x):
    return (x.view(torch.int32) >> 13 << 13).view(torch.float32).half()


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return cut_off(a.float() @ b.float())
