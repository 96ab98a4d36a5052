"""Describes a recurrent network by its first step: fake tensors would go through all of them.

A GRU of 512 steps takes 11 s that way, and what comes out has the shape of the sequence anyway. An
LSTM has one operation for all steps.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode

_BATCH_FIRST = 8  # its place among the arguments of torch.gru(input, hx, params, ...)


class ShortSequences(TorchFunctionMode):  # type: ignore[misc]
    """While in force, such a network computes one step, and gives as many outputs as it would.

    `shortened`: there was one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shortened = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        # Of packed sequences the second argument, sizes of batches, stands before a state.
        if func not in _STEPPING or kwargs or not isinstance(args[2], list | tuple):
            return func(*args, **kwargs)
        whole = args[0]
        time = 1 if whole.dim() == 3 and args[_BATCH_FIRST] else 0
        if not isinstance(whole, FakeTensor) or whole.shape[time] < 2:
            return func(*args)
        self.shortened = True
        output, state = func(whole.narrow(time, 0, 1), *args[1:])
        shape = list(output.shape)
        shape[time] = whole.shape[time]
        return output.new_empty(shape), state


_STEPPING = frozenset((torch.gru, torch.rnn_tanh, torch.rnn_relu))
