"""Inputs of other distributions, made by the problem's own code: what it draws is given to it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from assay_worker.integer_draws import CONTINUOUS


class GivenDraws(TorchFunctionMode):  # type: ignore[misc]
    """While in force, what is drawn from a continuous distribution is replaced where `chosen`.

    By `numbers`, one after the other over all draws, and from the first again at their end. Both
    have one dimension. What is computed of a draw is computed as ever.
    """

    def __init__(self, numbers: Tensor, chosen: Tensor) -> None:
        super().__init__()
        self._numbers, self._chosen = numbers, chosen
        self.drawn = 0  # so many so far

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in CONTINUOUS and result.is_floating_point():
            with torch.no_grad():
                places = torch.arange(self.drawn, self.drawn + result.numel())
                self.drawn += result.numel()
                places = (places % self._numbers.numel()).view(result.shape)
                numbers = self._numbers[places].to(result.dtype)
                result.copy_(torch.where(self._chosen[places], numbers, result))
        return result
