"""MobileNetV3-small (Howard et al., 2019, table 2), its widths divided by NARROWER.

The layers have torchvision's names, so that its weights fit.
"""

import torch
from torch import Tensor, nn

BATCH = 1
IMAGE = 64
NARROWER = 2  # each width is divided by it, and rounded to eights; 1: the network itself
CLASSES = 10

# Kernel, widened, out, squeezed, hard-swish, stride.
BLOCKS = [
    (3, 16, 16, True, False, 2),
    (3, 72, 24, False, False, 2),
    (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2),
    (5, 240, 40, True, True, 1),
    (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1),
    (5, 144, 48, True, True, 1),
    (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1),
    (5, 576, 96, True, True, 1),
]


def rounded(channels: float) -> int:
    """To eights, and by no more than a tenth down."""
    near = max(8, int(channels + 4) // 8 * 8)
    return near + 8 if near < 0.9 * channels else near


def layer(
    inside: int, outside: int, kernel: int, stride: int, groups: int, act: bool | None
) -> nn.Module:
    """A convolution and its norm. `act`: hard-swish, ReLU, or nothing where it is None."""
    parts: list[nn.Module] = [
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outside, eps=0.001, momentum=0.01),
    ]
    if act is not None:
        parts.append(nn.Hardswish() if act else nn.ReLU())
    return nn.Sequential(*parts)


class Squeeze(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc1 = nn.Conv2d(channels, rounded(channels / 4), 1)
        self.fc2 = nn.Conv2d(rounded(channels / 4), channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.relu(self.fc1(x.mean((2, 3), keepdim=True)))
        return x * nn.functional.hardsigmoid(self.fc2(scale))


class Block(nn.Module):
    def __init__(
        self,
        inside: int,
        kernel: int,
        wide: int,
        outside: int,
        squeezed: bool,
        act: bool,
        stride: int,
    ) -> None:
        super().__init__()
        self.adds = stride == 1 and inside == outside
        parts: list[nn.Module] = []
        if wide != inside:
            parts.append(layer(inside, wide, 1, 1, 1, act))
        parts.append(layer(wide, wide, kernel, stride, wide, act))
        if squeezed:
            parts.append(Squeeze(wide))
        parts.append(layer(wide, outside, 1, 1, 1, None))
        self.block = nn.Sequential(*parts)

    def forward(self, x: Tensor) -> Tensor:
        y = self.block(x)
        return x + y if self.adds else y


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        width = rounded(16 / NARROWER)
        parts: list[nn.Module] = [layer(3, width, 3, 2, 1, True)]
        for kernel, wide, outside, squeezed, act, stride in BLOCKS:
            wide, outside = rounded(wide / NARROWER), rounded(outside / NARROWER)
            parts.append(Block(width, kernel, wide, outside, squeezed, act, stride))
            width = outside
        parts.append(layer(width, 6 * width, 1, 1, 1, True))
        self.features = nn.Sequential(*parts)
        last = rounded(1024 / NARROWER)
        self.classifier = nn.Sequential(
            nn.Linear(6 * width, last), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(last, CLASSES)
        )

    def forward(self, image: Tensor) -> Tensor:
        """From [batch, 3, image, image] to [batch, classes]."""
        return self.classifier(self.features(image).mean((2, 3)))


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]
