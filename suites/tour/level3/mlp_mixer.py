"""Two mixer layers: one network mixes the patches, another the channels.

Covers: MLP-mixer, layer norm, activation, stack allocation limit.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, PATCHES, WIDTH, PATCH_HIDDEN, HIDDEN, LAYERS = 8, 196, 512, 256, 2048, 2


class Perceptron(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.expand, self.contract = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.contract(F.gelu(self.expand(x)))


class Mixer(nn.Module):
    def __init__(self, patches: int, width: int, patch_hidden: int, hidden: int) -> None:
        super().__init__()
        self.norm1, self.patches = nn.LayerNorm(width), Perceptron(patches, patch_hidden)
        self.norm2, self.channels = nn.LayerNorm(width), Perceptron(width, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.patches(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Model(nn.Module):
    def __init__(
        self, patches: int, width: int, patch_hidden: int, hidden: int, layers: int
    ) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(Mixer(patches, width, patch_hidden, hidden) for _ in range(layers))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, PATCHES, WIDTH)]


def get_init_inputs() -> list[object]:
    return [PATCHES, WIDTH, PATCH_HIDDEN, HIDDEN, LAYERS]
