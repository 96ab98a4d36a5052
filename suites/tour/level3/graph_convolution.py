"""Two graph convolutions over a dense boolean adjacency, normalised by the degrees of both ends.

Covers: graph convolution, boolean input, boolean operation.
"""

import torch
import torch.nn.functional as F
from torch import nn

NODES, WIDTH, HIDDEN, CLASSES = 2048, 128, 64, 7


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        own = torch.eye(len(x), dtype=torch.bool, device=x.device)
        joined = (edges | edges.T | own).to(x.dtype)
        scale = joined.sum(dim=1).rsqrt()
        joined = scale[:, None] * joined * scale
        y = F.relu(joined @ self.first(x))
        return F.log_softmax(joined @ self.second(y), dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [3.0 * torch.randn(NODES, WIDTH), torch.rand(NODES, NODES) < 0.004]


def get_init_inputs() -> list[object]:
    return [WIDTH, HIDDEN, CLASSES]
