import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        c = a[:, :20] @ b[:20] + a[:, 20:] @ b[20:]
        return c.max(1).indices
