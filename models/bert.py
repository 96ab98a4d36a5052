"""BERT, an encoder of text: what its last layer says of each token."""

import torch
from torch import Tensor
from transformers import BertConfig, BertModel

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
HEADS = 4
WIDE = 256
POSITIONS = 128
VOCABULARY = 1000
assert SEQ <= POSITIONS, "seq is at most positions"


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = BertModel(
            BertConfig(
                vocab_size=VOCABULARY,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                intermediate_size=WIDE,
                max_position_embeddings=POSITIONS,
            ),
            add_pooling_layer=False,
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """From [batch, seq], twice, to [batch, seq, hidden]."""
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def get_inputs() -> list[Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQ)), torch.ones(BATCH, SEQ, dtype=torch.int64)]


def get_input_domains() -> list[object]:
    return [{"index": VOCABULARY}, "mask"]
