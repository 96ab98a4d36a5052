"""Mean and mean square by name, from one of two tensors by name."""

import torch
from torch import nn

ROWS, COLUMNS = 40, 300


class Model(nn.Module):
    def forward(self, batch):
        x = batch["x"] * batch["scale"]
        return {"mean": x.mean(dim=1), "square": (x * x).mean(dim=1)}


def get_inputs():
    return [{"x": torch.randn(ROWS, COLUMNS), "scale": torch.rand(ROWS, 1) + 0.5}]


def get_init_inputs():
    return []
