"""GPT-2, a decoder of text: a score for each token that may come next."""

import torch
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
HEADS = 4
POSITIONS = 128
VOCABULARY = 1000
assert SEQ <= POSITIONS, "seq is at most positions"


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=VOCABULARY,
                n_embd=HIDDEN,
                n_layer=LAYERS,
                n_head=HEADS,
                n_positions=POSITIONS,
                bos_token_id=None,
                eos_token_id=None,
                use_cache=False,
            )
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """From [batch, seq], twice, to [batch, seq, vocabulary]."""
        return self.model(input_ids=ids, attention_mask=mask).logits


def get_inputs() -> list[Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQ)), torch.ones(BATCH, SEQ, dtype=torch.int64)]


def get_input_domains() -> list[object]:
    return [{"index": VOCABULARY}, "mask"]
