"""Gives values to what a model computes while it is built, as far as memory goes.

Under fake tensors nothing has values: `.item()` on a table made in `__init__` raises, and a table
that ends up in the program has no contents.

What is drawn at random stays the same as far as that goes: a draw that was left out, since its
result is too large, does not move the generator. What is drawn after it is of another place in the
stream than where a real build draws it: it is *shifted*, and so is what is computed from it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from assay_worker.aliases import key_of, memory_of

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
        self._left_out_a_draw = False
        self._read_shifted = False  # as a Python value, from where it can go anywhere
        # Memory with shifted values, kept so that no other gets the address of one of them.
        self._shifted: dict[int, Any] = {}

    def seeded(self) -> None:
        """The generator begins anew: what comes is of its right place again."""
        self._left_out_a_draw = False

    def is_shifted(self, tensor: torch.Tensor) -> bool:
        return not isinstance(tensor, FakeTensor) and key_of(memory_of(tensor)) in self._shifted

    def shows_in(self, constants: Iterable[Any]) -> bool:
        """Whether shifted values are among these, or were read as Python values."""
        return self._read_shifted or any(_is_tensor(c) and self.is_shifted(c) for c in constants)

    def reads(self) -> "_Reads":
        """To be in force with this: notices what is read without an operation."""
        return _Reads(self)

    def read(self, tensor: Any) -> None:
        self._read_shifted |= _is_tensor(tensor) and self.is_shifted(tensor)

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        if any(isinstance(tensor, FakeTensor) for tensor in given):
            _require_fake_targets(func, args, kwargs)
            return self._pretend(func, args, kwargs)
        if not _takes_memory(func):
            return self._compute(func, args, kwargs, given)
        size = _result_bytes(func, args, kwargs, given)
        self.wanted_bytes += size
        if size > min(self._each_bytes, self._left_bytes):
            return self._pretend(func, args, kwargs)
        self._left_bytes -= size
        return self._compute(func, args, kwargs, given)

    def _pretend(self, func: OpOverload, args: Any, kwargs: Any) -> Any:
        self._left_out_a_draw |= _draws(func)
        return func(*args, **kwargs)

    def _compute(self, func: OpOverload, args: Any, kwargs: Any, given: list[torch.Tensor]) -> Any:
        with unset_fake_temporarily():
            result = func(*args, **kwargs)
        if any(map(self.is_shifted, given)) or (self._left_out_a_draw and _draws(func)):
            for each in pytree.tree_leaves(result):
                if _is_tensor(each):
                    memory = memory_of(each)
                    self._shifted[key_of(memory)] = memory
                else:
                    self._read_shifted = True
            # A shape is a Python value, too.
            self._read_shifted |= torch.Tag.dynamic_output_shape in func.tags
        return result


class _Reads(TorchFunctionMode):  # type: ignore[misc]
    """Tells `values` of reads that no dispatch mode sees."""

    def __init__(self, values: RealValues) -> None:
        super().__init__()
        self._values = values

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func in _READ:
            self._values.read(args[0])
        return func(*args, **(kwargs or {}))


_READ = frozenset((torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__))


def _draws(func: OpOverload) -> bool:
    return torch.Tag.nondeterministic_seeded in func.tags


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
