import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        c = a @ b
        return c.sign() == 1
