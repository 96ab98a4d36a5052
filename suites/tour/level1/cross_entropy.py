"""Cross entropy between logits and class indices, a few of which are to be ignored.

Covers: cross entropy, integer input.
"""

import torch
import torch.nn.functional as F
from torch import nn

ROWS, CLASSES, IGNORED = 32_768, 9000, -100


class Model(nn.Module):
    def forward(self, logits: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits, classes, ignore_index=IGNORED)


def get_inputs() -> list[torch.Tensor]:
    classes = torch.randint(0, CLASSES, (ROWS,))
    padding = torch.rand(ROWS) < 0.1
    return [2.0 * torch.randn(ROWS, CLASSES), classes.masked_fill(padding, IGNORED)]


def get_init_inputs() -> list[object]:
    return []
