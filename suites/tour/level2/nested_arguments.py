"""Arguments in containers, and results too: a list and a dict go in, a tuple in a dict comes out.

Covers: nested input, dict output, several outputs.
"""

import torch
from torch import nn

ROWS, WIDTH = 512, 384


class Model(nn.Module):
    def forward(
        self, parts: list[torch.Tensor], affine: dict[str, torch.Tensor]
    ) -> dict[str, torch.Tensor | tuple[torch.Tensor, torch.Tensor]]:
        whole = torch.cat(parts, dim=1)
        moved = whole * affine["scale"] + affine["shift"]
        return {"moved": moved, "bounds": (moved.amin(dim=1), moved.amax(dim=1))}


def get_inputs() -> list[object]:
    parts = [torch.randn(ROWS, WIDTH), 3.0 + torch.randn(ROWS, WIDTH // 2)]
    width = WIDTH + WIDTH // 2
    return [parts, {"scale": torch.rand(width) + 0.5, "shift": torch.randn(width)}]


def get_init_inputs() -> list[object]:
    return []
