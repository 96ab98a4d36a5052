"""Two of torch's own encoder layers, wide enough for 2048 hidden features, with padding.

Covers: transformer encoder, boolean input, layer norm.
"""

import torch
from torch import nn

BATCH, TOKENS, WIDTH, HEADS, HIDDEN, LAYERS = 4, 197, 512, 8, 2048, 2


class Model(nn.Module):
    def __init__(self, width: int, heads: int, hidden: int, layers: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, heads, hidden, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, x: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        return self.encoder(x, src_key_padding_mask=padding)


def get_inputs() -> list[torch.Tensor]:
    lengths = torch.randint(TOKENS // 2, TOKENS, (BATCH, 1))
    return [torch.randn(BATCH, TOKENS, WIDTH), torch.arange(TOKENS) >= lengths]


def get_init_inputs() -> list[object]:
    return [WIDTH, HEADS, HIDDEN, LAYERS]
