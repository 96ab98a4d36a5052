"""Weights that are -1, 0 or 1: a model is constructed as ever, and what it draws is an integer.

A candidate that keeps its weights in another form makes that form while it is constructed; numbers
that are copied into its state later would not reach it. So problem and candidate are constructed
under the same seed and both draw integers.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from assay_worker.other_draws import OtherDraws


class IntegerDraws(OtherDraws):
    """Draws are -1, 0 or 1. `torch.randn(4) * 0.02` is 0.02 times that."""

    def other(self, func: Callable[..., Any], drawn: Tensor) -> Tensor:
        """As many of these."""
        return torch.randint(-1, 2, drawn.shape)
