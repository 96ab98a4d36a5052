"""A layer of a graph network. The file draws another number of edges each time; the last input is not to change."""

import torch
from torch import nn

NODES, WIDTH = 20, 8


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, edges, shares):
        source, target = edges
        degree = torch.zeros(len(x)).index_add(0, target, torch.ones(len(target))).clamp(min=1)
        messages = self.linear(x)[source] / degree[target, None]
        gathered = torch.zeros_like(x).scatter_add(0, target[:, None].expand_as(messages), messages)
        return gathered / shares.sqrt()


def get_inputs():
    edges = (torch.rand(NODES, NODES) < 0.2).nonzero().t().contiguous()
    return [torch.randn(NODES, WIDTH), edges, torch.softmax(torch.randn(WIDTH), 0)]


def get_init_inputs():
    return [WIDTH]


def get_input_domains():
    return ["free", {"graph": {"nodes": NODES}}, "constant"]
