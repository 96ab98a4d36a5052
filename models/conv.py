"""Two convolutions and a ReLU: the toy block that every compiler has to take."""

import torch

BATCH = 1
IMAGE = 32  # pixels, in both directions
CHANNELS = 16


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, CHANNELS, 3, padding=1)
        self.second = torch.nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """From [batch, 3, image, image] to [batch, channels, image, image]."""
        return torch.relu(self.second(self.first(image)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]
