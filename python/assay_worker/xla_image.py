"""The image `xla`: that of candidates, with JAX, torchax and torch's exporter loaded and tried out.

What a process that compiles by XLA would otherwise do for itself, seconds before its first call.
JAX's own threads start in the fork: with its backend, which nothing here asks for.
"""

import contextlib
import warnings

import torch

from assay_worker import candidate
from assay_worker.stablehlo import decomposed, load_torchax
from assay_worker.zygote import Image


def warm_up() -> None:
    """Takes one tiny model through the part of XLA's work that is torch's and torchax's."""
    candidate.warm_up()
    # Torch's advice to itself, once per export.
    warnings.filterwarnings("ignore", message=".*treespec, LeafSpec", category=FutureWarning)
    with contextlib.suppress(Exception):  # each attempt says for itself what is missing
        load_torchax()
        with torch.no_grad():
            model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)).eval()
            decomposed(torch.export.export(model, (torch.rand(2, 4),), strict=False))


IMAGE = Image("xla", warm_up, candidate.work)
