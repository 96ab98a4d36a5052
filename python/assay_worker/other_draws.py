"""Draws that are made others: what is computed of them is computed as ever."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


class OtherDraws(TorchFunctionMode):  # type: ignore[misc]
    """While in force, what is drawn from a continuous distribution is made another."""

    @abstractmethod
    def other(self, func: Callable[..., Any], drawn: Tensor) -> Tensor:
        """What takes the place of a draw."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in CONTINUOUS and result.is_floating_point():
            with torch.no_grad():
                result.copy_(self.other(func, result))
        return result


# What draws from a continuous distribution, a new tensor or into one that is there.
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
