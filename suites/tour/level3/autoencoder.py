"""A convolutional variational autoencoder without its noise; three tensors come out.

Covers: autoencoder, transposed conv 2d, tuple output, several outputs.
"""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, LATENT, IMAGE = 16, 32, 48, 64


class Model(nn.Module):
    def __init__(self, channels: int, latent: int, image: int) -> None:
        super().__init__()
        self.shape = (2 * channels, image // 4, image // 4)
        size = 2 * channels * (image // 4) ** 2
        self.down1 = nn.Conv2d(3, channels, 4, stride=2, padding=1)
        self.down2 = nn.Conv2d(channels, 2 * channels, 4, stride=2, padding=1)
        self.mean, self.log_variance = nn.Linear(size, latent), nn.Linear(size, latent)
        self.grow = nn.Linear(latent, size)
        self.up2 = nn.ConvTranspose2d(2 * channels, channels, 4, stride=2, padding=1)
        self.up1 = nn.ConvTranspose2d(channels, 3, 4, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y = F.elu(self.down2(F.elu(self.down1(x)))).flatten(1)
        mean, log_variance = self.mean(y), self.log_variance(y)
        y = F.elu(self.grow(8.0 * mean)).view(-1, *self.shape)
        return torch.sigmoid(4.0 * self.up1(F.elu(self.up2(y)))), mean, log_variance


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, LATENT, IMAGE]
