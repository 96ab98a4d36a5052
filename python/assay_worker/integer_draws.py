"""Weights that are -1, 0 or 1: a model is constructed as ever, and what it draws is an integer.

A candidate that keeps its weights in another form makes that form while it is constructed; numbers
that are copied into its state later would not reach it. So problem and candidate are constructed
under the same seed and both draw integers.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


class IntegerDraws(TorchFunctionMode):  # type: ignore[misc]
    """While in force, what is drawn from a continuous distribution is -1, 0 or 1 instead.

    What is computed of a draw, such as `torch.randn(4) * 0.02`, is computed as ever.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in CONTINUOUS and result.is_floating_point():
            with torch.no_grad():
                result.copy_(torch.randint(-1, 2, result.shape))
        return result


# What draws from a continuous distribution, at random or into a tensor that is there.
CONTINUOUS = frozenset(
    (
        torch.rand,
        torch.randn,
        torch.rand_like,
        torch.randn_like,
        torch.normal,
        Tensor.uniform_,
        Tensor.normal_,
        # These are seen instead of what they call.
        nn.init.uniform_,
        nn.init.normal_,
        nn.init.kaiming_uniform_,
        nn.init.kaiming_normal_,
    )
)
