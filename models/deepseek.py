"""DeepSeek-R1-Distill-Qwen, of the family Qwen 2: as Llama, with biases of queries and keys."""

import torch
from torch import Tensor
from transformers import Qwen2Config, Qwen2ForCausalLM

BATCH = 1
SEQ = 32
HIDDEN = 64
LAYERS = 2
HEADS = 4
KEY_HEADS = 2
WIDE = 256
POSITIONS = 128
VOCABULARY = 1000


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=VOCABULARY,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                num_key_value_heads=KEY_HEADS,
                intermediate_size=WIDE,
                max_position_embeddings=POSITIONS,
                rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
                tie_word_embeddings=False,
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
