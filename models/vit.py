"""ViT, a transformer over pieces of an image."""

import torch
from torch import Tensor
from transformers import ViTConfig, ViTForImageClassification

BATCH = 1
IMAGE = 32
PATCH = 8
HIDDEN = 64
LAYERS = 2
HEADS = 4
WIDE = 256
CLASSES = 10


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = ViTForImageClassification(
            ViTConfig(
                image_size=IMAGE,
                patch_size=PATCH,
                hidden_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                intermediate_size=WIDE,
                num_labels=CLASSES,
            )
        )

    def forward(self, image: Tensor) -> Tensor:
        """From [batch, 3, image, image] to [batch, classes]."""
        return self.model(pixel_values=image).logits


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]
