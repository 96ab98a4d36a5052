"""The cosine embedding loss of two projections; the sign of the target picks the branch.

Covers: cosine loss, product.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, WIDTH, OUT_WIDTH, MARGIN = 2048, 1024, 64, 0.1


class Model(nn.Module):
    def __init__(self, width: int, out_width: int, margin: float) -> None:
        super().__init__()
        self.first = nn.Linear(width, out_width)
        self.second = nn.Linear(width, out_width)
        self.margin = margin

    def forward(self, x: torch.Tensor, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        x, y = self.first(x), self.second(y)
        return F.cosine_embedding_loss(x, y, same, margin=self.margin, reduction="none")


def get_inputs() -> list[torch.Tensor]:
    x = torch.randn(ROWS, WIDTH)
    same = 2.0 * torch.randint(0, 2, (ROWS,)).float() - 1.0
    return [x, same[:, None] * 0.2 * x + torch.randn(ROWS, WIDTH), same]


def get_init_inputs() -> list[object]:
    return [WIDTH, OUT_WIDTH, MARGIN]
