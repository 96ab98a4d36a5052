"""Mamba: a state that is carried from token to token in the place of attention."""

import torch
from torch import Tensor
from transformers import MambaConfig, MambaForCausalLM

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
STATE = 8
VOCABULARY = 1000


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = MambaForCausalLM(
            MambaConfig(
                vocab_size=VOCABULARY,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                state_size=STATE,
                use_cache=False,
            )
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """From [batch, seq], twice, to [batch, seq, vocabulary]."""
        return self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits


def get_inputs() -> list[Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQ)), torch.ones(BATCH, SEQ, dtype=torch.int64)]


def get_input_domains() -> list[object]:
    return [{"index": VOCABULARY}, "mask"]
