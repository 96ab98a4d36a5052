"""Words to logits: embeddings, positions, one feed-forward layer, and a head that shares weights.

Covers: embedding, integer input, layer norm, stack allocation limit.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, VOCABULARY, WIDTH = 4, 256, 48_000, 768


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int, longest: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Embedding(longest, width)
        self.norm = nn.LayerNorm(width)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        places = torch.arange(words.shape[1], device=words.device)
        x = self.words(words) + self.positions(places)
        x = x + self.contract(F.gelu(self.expand(self.norm(x)), approximate="tanh"))
        return F.linear(self.norm(x), self.words.weight) * self.words.embedding_dim**-0.5


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, TOKENS))]


def get_init_inputs() -> list[object]:
    return [VOCABULARY, WIDTH, 2 * TOKENS]
