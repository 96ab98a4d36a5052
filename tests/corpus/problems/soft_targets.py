"""Cross entropy against targets that are probabilities."""

import torch
from torch import nn

ROWS = 37
CLASSES = 53


class Model(nn.Module):
    def forward(self, scores, targets):
        return -(targets * torch.log_softmax(scores, dim=1)).sum(dim=1)


def shaped(scores, targets):
    return [scores, torch.softmax(targets, dim=1)]


def get_inputs():
    return shaped(torch.randn(ROWS, CLASSES), torch.randn(ROWS, CLASSES))


def get_init_inputs():
    return []
