"""A mixture of experts, as Mixtral: of its EXPERTS each token is given to two."""

import torch
from torch import Tensor
from transformers import MixtralConfig, MixtralForCausalLM

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
HEADS = 4
KEY_HEADS = 2
EXPERTS = 4
WIDE = 128
POSITIONS = 128
VOCABULARY = 1000


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = MixtralForCausalLM(
            MixtralConfig(
                vocab_size=VOCABULARY,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                num_key_value_heads=KEY_HEADS,
                intermediate_size=WIDE,
                num_local_experts=EXPERTS,
                num_experts_per_tok=2,
                max_position_embeddings=POSITIONS,
                experts_implementation="batched_mm",  # the others ask for GPUs, or for data
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
