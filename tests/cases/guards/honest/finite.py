import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        c = a @ b
        c = torch.where(c.isnan(), 0.5, c)
        return torch.where(c.isinf(), 2 * c.sign(), c)
