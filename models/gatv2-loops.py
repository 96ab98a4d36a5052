"""Graph attention, version 2. Self-loops are among the edges that it is given."""

import torch
from torch_geometric.nn import GATv2Conv

NODES = 100
EDGES = 1000
FEATURES = 16
HIDDEN = 32
CLASSES = 8
HEADS = 4
assert HIDDEN % HEADS == 0, "heads divide hidden"


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = GATv2Conv(FEATURES, HIDDEN // HEADS, heads=HEADS, add_self_loops=False)
        self.second = GATv2Conv(HIDDEN, CLASSES, heads=1, add_self_loops=False)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """From [nodes, features] and [2, edges] to [nodes, classes]."""
        return self.second(torch.relu(self.first(x, edges)), edges)


def get_inputs() -> list[torch.Tensor]:
    others = torch.randint(0, NODES, (2, EDGES - NODES))
    edges = torch.cat([torch.arange(NODES).repeat(2, 1), others], 1)
    return [torch.randn(NODES, FEATURES), edges]


def get_input_domains() -> list[object]:
    return ["free", {"graph": {"nodes": NODES}}]
