"""Llama 3 with weights of four bits, rotated so that no weight stands out, as SpinQuant does.

What goes into a product is rotated there (Hadamard, in blocks of TURNED), and the weights are
stored rotated, so the two undo each other, but for the rounding. Embedding and scores have
eight bits.
"""

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaModel

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
HEADS = 4
KEY_HEADS = 2
HEAD = 16
WIDE = 256
POSITIONS = 128
VOCABULARY = 1000
GROUP = 32  # weights with one scale
TURNED = 16  # values that a rotation mixes: a power of 2 that divides the sizes


def turned(x: Tensor) -> Tensor:
    """Each block of the last dimension times the Hadamard matrix over its root: its own inverse."""
    blocks = x.reshape(*x.shape[:-1], -1, TURNED)
    half = TURNED
    while half > 1:
        half //= 2
        pairs = blocks.reshape(*blocks.shape[:-1], -1, 2, half)
        first, second = pairs[..., 0, :], pairs[..., 1, :]
        blocks = torch.stack([first + second, first - second], -2).reshape(blocks.shape)
    return (blocks / TURNED**0.5).reshape(x.shape)


def rows_of(weight: Tensor, most: int, group: int) -> tuple[Tensor, Tensor]:
    """Whole numbers from -most - 1 to most, and of each group of a row what one is worth."""
    groups = weight.reshape(weight.shape[0], -1, group)
    scale = groups.abs().amax(2, keepdim=True).clamp(min=1e-8) / most
    numbers = (groups / scale).round().clamp(-most - 1, most)
    return numbers.reshape(weight.shape), scale.squeeze(2)


class Linear4(torch.nn.Module):
    """Weights of four bits, two in a byte, with a scale for each group of a row, rotated."""

    def __init__(self, outside: int, inside: int) -> None:
        super().__init__()
        weight = torch.randn(outside, inside) * 0.02
        numbers, scale = rows_of(turned(weight), 7, GROUP)
        pairs = (numbers + 8).to(torch.uint8).reshape(outside, inside // 2, 2)
        self.register_buffer("packed", pairs[:, :, 0] | (pairs[:, :, 1] << 4))
        self.register_buffer("scale", scale)

    def forward(self, x: Tensor) -> Tensor:
        pairs = torch.stack([self.packed & 15, self.packed >> 4], 2)
        outside, inside = pairs.shape[0], 2 * pairs.shape[1]
        numbers = pairs.reshape(outside, inside // GROUP, GROUP).to(x.dtype) - 8
        weight = (numbers * self.scale[:, :, None]).reshape(outside, inside)
        return turned(x) @ weight.t()


class Embedding8(torch.nn.Module):
    """A row of eight bits for each token, with a scale: what it is to begin with, and its score."""

    def __init__(self) -> None:
        super().__init__()
        numbers, scale = rows_of(torch.randn(VOCABULARY, HIDDEN) * 0.02, 127, HIDDEN)
        self.register_buffer("numbers", numbers.to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, ids: Tensor) -> Tensor:
        return self.numbers[ids].to(self.scale.dtype) * self.scale[ids]

    def scores(self, x: Tensor) -> Tensor:
        return (x @ self.numbers.to(x.dtype).t()) * self.scale.t()


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = LlamaModel(
            LlamaConfig(
                vocab_size=VOCABULARY,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                num_key_value_heads=KEY_HEADS,
                head_dim=HEAD,
                intermediate_size=WIDE,
                max_position_embeddings=POSITIONS,
                rms_norm_eps=1e-5,
                rope_parameters={
                    "rope_type": "llama3",
                    "rope_theta": 500000.0,
                    "factor": 32.0,
                    "low_freq_factor": 1.0,
                    "high_freq_factor": 4.0,
                    "original_max_position_embeddings": POSITIONS // 16,
                },
                tie_word_embeddings=True,
                use_cache=False,
            )
        )
        self.model.embed_tokens = Embedding8()
        for layer in self.model.layers:
            for part in (layer.self_attn, layer.mlp):
                for name, linear in list(part.named_children()):
                    if isinstance(linear, torch.nn.Linear):
                        setattr(part, name, Linear4(*linear.weight.shape))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """From [batch, seq], twice, to [batch, seq, vocabulary]."""
        embedding = self.model.embed_tokens
        last = self.model(inputs_embeds=embedding(ids), attention_mask=mask).last_hidden_state
        return embedding.scores(last)


def get_inputs() -> list[Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQ)), torch.ones(BATCH, SEQ, dtype=torch.int64)]


def get_input_domains() -> list[object]:
    return [{"index": VOCABULARY}, "mask"]
