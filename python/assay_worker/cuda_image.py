"""The image `cuda`: candidates that are called on a card.

As `candidate`, but that torch's profiler is not started before the fork: it would open the driver,
and no fork of who has can use it.
"""

import torch

from assay_worker import candidate
from assay_worker.zygote import Image


def warm_up() -> None:
    """One small call on the CPU. CUDA is not touched."""
    with torch.no_grad():
        torch.nn.Linear(4, 4)(torch.rand(2, 4)).sum().item()


IMAGE = Image("cuda", warm_up, candidate.work)
