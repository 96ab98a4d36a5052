"""Llama 3: rotary positions, grouped queries, gated layers; scores of what may come next."""

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

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


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = LlamaForCausalLM(
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

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """From [batch, seq], twice, to [batch, seq, vocabulary]."""
        return self.model(input_ids=ids, attention_mask=mask).logits


def get_inputs() -> list[Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQ)), torch.ones(BATCH, SEQ, dtype=torch.int64)]


def get_input_domains() -> list[object]:
    return [{"index": VOCABULARY}, "mask"]
