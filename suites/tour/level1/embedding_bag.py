"""The means of bags of embeddings; the table takes 1.2 GB.

Covers: embedding bag, integer input.
"""

import torch
from torch import nn

WORDS, WIDTH, BAGS, WORDS_PER_BAG = 2_000_000, 160, 1024, 40


class Model(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(words, width, mode="mean")

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.bag(words)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, WORDS, (BAGS, WORDS_PER_BAG))]


def get_init_inputs() -> list[object]:
    return [WORDS, WIDTH]
