"""ResNet of basic blocks: BLOCKS = 2 and WIDTH = 64 make ResNet-18 (He et al., 2015, table 1).

The layers have torchvision's names, so that its weights fit.
"""

import torch
from torch import Tensor, nn

BATCH = 1
IMAGE = 64
WIDTH = 8
BLOCKS = 1  # of each of the four stages
CLASSES = 10


class Block(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.downsample: nn.Module | None = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, WIDTH, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(WIDTH)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        width = WIDTH
        for stage in range(4):
            outside = WIDTH << stage
            blocks = []
            for block in range(BLOCKS):
                stride = 2 if stage > 0 and block == 0 else 1
                blocks.append(Block(width, outside, stride))
                width = outside
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(width, CLASSES)

    def forward(self, image: Tensor) -> Tensor:
        """From [batch, 3, image, image] to [batch, classes]."""
        x = self.maxpool(torch.relu(self.bn1(self.conv1(image))))
        for stage in range(4):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(x.mean((2, 3)))


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]
