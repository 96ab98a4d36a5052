"""Runs what is written for single precision in double, as far as torch lets it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

_WIDER = {
    torch.float32: torch.float64,
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.complex64: torch.complex128,
}

_HALVES = (torch.float16, torch.bfloat16)

# Sees an operation that was computed: its arguments and what came of them.
Watch = Callable[[OpOverload, Any, Any, Any], None]
# Gives an operation that is to be computed other arguments.
Before = Callable[[OpOverload, Any, Any], Any]


def widened(value: Any) -> Any:
    """A tensor of floating point in double; anything else as it is."""
    if isinstance(value, Tensor) and value.dtype in _WIDER:
        return value.to(_WIDER[value.dtype])
    return value


class InDouble(TorchDispatchMode):  # type: ignore[misc]
    """While in force, what would be computed in less than double is computed in double.

    A type that an operation is asked for becomes double, and so do arguments, but for those it
    writes into. `narrow` counts, by the operation's name, what came out narrower. `rounds` are
    the half precisions that tensors were to be rounded to, and were not.
    """

    def __init__(self, watch: Watch | None = None, before: Before | None = None) -> None:
        super().__init__()
        self._watch, self._before = watch, before
        self.narrow: Counter[str] = Counter()
        self.rounds: set[str] = set()

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.ops.aten._to_copy.default and kwargs.get("dtype") in _HALVES:
            self.rounds.add(str(kwargs["dtype"]).removeprefix("torch."))
        if func is not torch.ops.aten.view.dtype:  # the bits of a number have the width they have
            args, kwargs = _widened_arguments(func, args, kwargs)
        if self._before:
            args = self._before(func, args, kwargs)
        result = func(*args, **kwargs)
        if any(isinstance(x, Tensor) and x.dtype in _WIDER for x in pytree.tree_leaves(result)):
            self.narrow[str(func)] += 1
        if self._watch:
            self._watch(func, args, kwargs, result)
        return result


class SaysItsType(TorchFunctionMode):  # type: ignore[misc]
    """While in force, tensors in double say that they are of the problem's own type.

    What depends on the type is no matter of precision: finfo(x.dtype).eps, the eps that a norm has
    where none is given, a branch. In double it is to be what it is in the problem.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self._dtype, self._limits = dtype, torch.finfo(dtype)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func == _DTYPE:  # another object each time
            found = func(*args)
            return self._dtype if found is torch.float64 else found
        if func in _LIMITED:
            args, kwargs = self._limited(func, args, dict(kwargs))
        return func(*args, **kwargs)

    def _limited(self, func: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, Any]:
        """With what is left out, which torch would take from the type."""
        names = _LIMITED[func]
        given = dict(zip(names, args, strict=False)) | kwargs
        limits = {"eps": self._limits.eps, "posinf": self._limits.max, "neginf": self._limits.min}
        for name in names:
            if name in limits and given.get(name) is None:
                given[name] = limits[name]
        first = names[0]
        return (given.pop(first),), given


_DTYPE = Tensor.dtype.__get__
_RMS_NORM = ("input", "normalized_shape", "weight", "eps")
_NAN_TO_NUM = ("input", "nan", "posinf", "neginf")
# Functions with limits of a type for what is not given: the names of their arguments.
_LIMITED = {
    torch.nn.functional.rms_norm: _RMS_NORM,
    torch.rms_norm: _RMS_NORM,
    torch.nan_to_num: _NAN_TO_NUM,
    torch.nan_to_num_: _NAN_TO_NUM,
    Tensor.nan_to_num: _NAN_TO_NUM,
    Tensor.nan_to_num_: _NAN_TO_NUM,
}


def _widened_arguments(func: OpOverload, args: Any, kwargs: Any) -> tuple[Any, Any]:
    fresh = dict(kwargs)
    places: list[Any] = []
    for n, argument in enumerate(func._schema.arguments):
        keeps = argument.alias_info is not None  # a view of it, or what is written into
        if n < len(args):
            places.append(args[n] if keeps else _widen(args[n]))
        elif argument.name in kwargs and not keeps:
            fresh[argument.name] = _widen(kwargs[argument.name])
    return tuple(places), fresh


def _widen(value: Any) -> Any:
    return pytree.tree_map(_widen_leaf, value)


def _widen_leaf(leaf: Any) -> Any:
    if isinstance(leaf, torch.dtype):
        return _WIDER.get(leaf, leaf)
    return widened(leaf)
