import torch


class ModelNew(torch.nn.Module):
    """NaN is the smallest."""

    def forward(self, a, b):
        return (a @ b).nan_to_num(nan=-torch.inf).argmax(1)
