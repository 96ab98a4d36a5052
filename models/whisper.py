"""Whisper: an encoder of sound, and a decoder that scores what may come next."""

import torch
from torch import Tensor
from transformers import WhisperConfig, WhisperForConditionalGeneration

BATCH = 1
SEQ = 16  # tokens said so far
FRAMES = 64  # of sound; the encoder takes them in pairs
MELS = 80
HIDDEN = 64
LAYERS = 2  # of either
HEADS = 4
WIDE = 256
POSITIONS = 64
VOCABULARY = 1000
assert SEQ <= POSITIONS, "seq is at most positions"


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = WhisperForConditionalGeneration(
            WhisperConfig(
                vocab_size=VOCABULARY,
                num_mel_bins=MELS,
                d_model=HIDDEN,
                encoder_layers=LAYERS,
                decoder_layers=LAYERS,
                encoder_attention_heads=HEADS,
                decoder_attention_heads=HEADS,
                encoder_ffn_dim=WIDE,
                decoder_ffn_dim=WIDE,
                max_source_positions=FRAMES // 2,
                max_target_positions=POSITIONS,
                pad_token_id=0,
                bos_token_id=1,
                eos_token_id=2,
                decoder_start_token_id=1,
                use_cache=False,
            )
        )

    def forward(self, sound: Tensor, ids: Tensor) -> Tensor:
        """From [batch, mels, frames] and [batch, seq] to [batch, seq, vocabulary]."""
        return self.model(input_features=sound, decoder_input_ids=ids).logits


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, MELS, FRAMES), torch.randint(0, VOCABULARY, (BATCH, SEQ))]


def get_input_domains() -> list[object]:
    return ["free", {"index": VOCABULARY}]
