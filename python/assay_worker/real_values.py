"""Gives values to what a model computes while it is built, as far as memory goes.

Under fake tensors nothing has values: `.item()` on a table made in `__init__` raises, and a table
that ends up in the program has no contents.
"""

from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

# Larger than the tables that models look things up in, far smaller than the weights of most layers.
SMALL_BYTES = 256 << 10
SMALL_TOTAL_BYTES = 256 << 20


class RealValues(TorchDispatchMode):  # type: ignore[misc]
    """Entered inside a fake tensor mode, lets an operation on real tensors, or on none, run really.

    Its results are real when they take `each_bytes` at most and the others have not used up
    `total_bytes`; else they are fake, and so is whatever is computed from a fake tensor.
    """

    def __init__(self, each_bytes: int, total_bytes: int) -> None:
        super().__init__()
        self._each_bytes, self._left_bytes = each_bytes, total_bytes
        # What all results would take that were or could have been real: no less than is needed.
        self.wanted_bytes = 0

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        if any(isinstance(tensor, FakeTensor) for tensor in given):
            _require_fake_targets(func, args, kwargs)
            return func(*args, **kwargs)
        if not _takes_memory(func):
            with unset_fake_temporarily():
                return func(*args, **kwargs)
        size = _result_bytes(func, args, kwargs, given)
        self.wanted_bytes += size
        if size > min(self._each_bytes, self._left_bytes):
            return func(*args, **kwargs)
        self._left_bytes -= size
        with unset_fake_temporarily():
            return func(*args, **kwargs)


def _result_bytes(func: OpOverload, args: Any, kwargs: Any, given: list[torch.Tensor]) -> int:
    try:
        pretended = func(*args, **kwargs)  # under the fake tensor mode: takes no memory
    except Exception:  # the size depends on the values: which of them are not 0, for example
        return sum(_bytes(tensor) for tensor in given)
    return sum(_bytes(x) for x in pytree.tree_leaves(pretended) if _is_tensor(x))


def _takes_memory(func: OpOverload) -> bool:
    """Not so a view, and an operation that writes into its arguments."""
    return all(result.alias_info is None for result in func._schema.returns)


def _require_fake_targets(func: OpOverload, args: Any, kwargs: Any) -> None:
    """Values that are not known can't be written into a real tensor: it would keep its old ones."""
    for n, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        target = args[n] if n < len(args) else kwargs.get(argument.name)
        for tensor in pytree.tree_leaves(target):
            if _is_tensor(tensor) and not isinstance(tensor, FakeTensor):
                raise RuntimeError(
                    f"{func} writes what has no values into a tensor that has: the model computes "
                    "with more data, while it is built, than is computed here"
                )


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _bytes(tensor: torch.Tensor) -> int:
    return int(tensor.numel() * tensor.element_size())
