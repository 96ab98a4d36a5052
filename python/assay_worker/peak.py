"""How much memory a call takes, without taking it: counted from the sizes of fake tensors."""

import weakref
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from assay_worker.aliases import key_of, memory_of
from assay_worker.flops import Flops, mixes


class Peak(TorchDispatchMode):  # type: ignore[misc]
    """While in force, follows what operations allocate and what is freed again.

    `bytes` is the most that was held at one time; `double_bytes` the same with 8 bytes for each
    number of floating point. `mixes`: there was a product of matrices, or a convolution; `flops`
    is what those take. `reads`: the value of a tensor became a number of Python's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = self.double_bytes = 0
        self.mixes = self.reads = False
        self.flops = Flops()
        self._held = self._double_held = 0
        self._known: set[int] = set()

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        self.mixes = self.mixes or mixes(func)
        self.flops.add(func, args, kwargs, result)
        self.reads = self.reads or func is torch.ops.aten._local_scalar_dense.default
        given = {
            key_of(memory_of(x))
            for x in pytree.tree_leaves((args, kwargs))
            if isinstance(x, Tensor)
        }
        for each in pytree.tree_leaves(result):
            if isinstance(each, Tensor) and key_of(memory_of(each)) not in given:
                self._allocated(each)
        return result

    def _allocated(self, tensor: Tensor) -> None:
        memory = memory_of(tensor)
        key = key_of(memory)
        if key in self._known:
            return
        self._known.add(key)
        size = memory.nbytes() if isinstance(memory, torch.UntypedStorage) else 0
        double = size * 8 // tensor.element_size() if tensor.is_floating_point() else size
        self._held += size
        self._double_held += double
        self.bytes = max(self.bytes, self._held)
        self.double_bytes = max(self.double_bytes, self._double_held)
        # A fake tensor's memory goes with it; views hold the same object of C++.
        weakref.finalize(memory, self._freed, key, size, double)

    def _freed(self, key: int, size: int, double: int) -> None:
        self._known.discard(key)
        self._held -= size
        self._double_held -= double
