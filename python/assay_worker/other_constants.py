"""Other values for parameters that a model makes the same throughout: scales of one, shifts of 0.

Whoever leaves such a one out computes the same. Where state can be copied the judge copies other
values into it; a model that draws its own, or keeps something that it made of it, would not see
them. So problem and candidate are constructed with other values there, the same in both.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _NormBase
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

# Of what is smaller, half and double would be as little to be seen.
_LEAST = 0.1


class OtherConstants(TorchFunctionMode):  # type: ignore[misc]
    """While in force, a parameter that gets one value throughout gets others, near that.

    Likewise the running statistics of a normalisation. Which, follows from the seed, the value and
    the number of elements: not from the order in which a model makes them, nor from their shape.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._register = nn.Module.register_parameter
        self._reset = _NormBase.reset_running_stats
        self._parameters: Any = WeakIdKeyDictionary()

    def __enter__(self) -> "OtherConstants":
        register, reset, alter = self._register, self._reset, self.alter
        parameters = self._parameters

        def registered(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
            register(module, name, parameter)
            if parameter is not None:
                parameters[parameter] = True
                alter(parameter)

        def was_reset(module: _NormBase) -> None:
            reset(module)
            if module.track_running_stats:
                alter(module.running_mean)
                alter(module.running_var)

        nn.Module.register_parameter = registered
        _NormBase.reset_running_stats = was_reset
        super().__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        nn.Module.register_parameter = self._register
        _NormBase.reset_running_stats = self._reset
        super().__exit__(*raised)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in _FILLS and self._is_parameter(result):
            self.alter(result)
        return result

    def _is_parameter(self, tensor: Tensor) -> bool:
        """Or one's memory: `self.weight.data.zero_()`."""
        return isinstance(tensor, nn.Parameter) or any(
            each.data_ptr() == tensor.data_ptr() and each.numel() == tensor.numel()
            for each in self._parameters
        )

    def alter(self, tensor: Tensor | None) -> None:
        """Gives it other values where it has one throughout."""
        if tensor is None or not tensor.is_floating_point() or tensor.numel() == 0:
            return
        with torch.no_grad():
            value = float(tensor.flatten()[0])
            if not bool((tensor == value).all()):
                return
            tensor.copy_(self._others(value, tensor.numel()).reshape(tensor.shape))

    def _others(self, value: float, count: int) -> Tensor:
        random = torch.Generator()
        random.manual_seed(hash((self._seed, value, count)) & 0x7FFFFFFF)
        if value == 0:
            return torch.randn(count, generator=random) * 0.5
        if abs(value) < _LEAST:
            value = 1.0 if value > 0 else -1.0
        return value * (0.5 + torch.rand(count, generator=random))


_FILLS = frozenset(
    (Tensor.fill_, Tensor.zero_, nn.init.ones_, nn.init.zeros_, nn.init.constant_, torch.fill_)
)
