"""Layer normalisation of a sum, with an eps that no usual number shows."""

import torch
from torch import nn

ROWS = 33
COLUMNS = 67


class Model(nn.Module):
    def forward(self, x, residual):
        return nn.functional.layer_norm(x + residual, (COLUMNS,), eps=1e-12)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
