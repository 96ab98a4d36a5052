"""Proves of one run that every number in it is a small integer, whatever the order of its sums.

Then every honest program gives the same bits, and so must a candidate's.
"""

from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils import _pytree as pytree

# A type counts integers up to this one by one.
LIMITS = {"f64": 1 << 53, "f32": 1 << 24, "f16": 1 << 11, "bf16": 1 << 8}

# What moves numbers, compares them, or takes one of them: the results are among the arguments.
_MOVES = frozenset(
    """_to_copy alias amax amin arange argmax argmin as_strided bitwise_and bitwise_not
    bitwise_or cat clamp clamp_max clamp_min clone constant_pad_nd copy cummax cummin
    diagonal_copy embedding eq expand_copy eye fill flip full full_like gather ge gt
    hardtanh im2col index index_put index_select isinf isnan le lift_fresh_copy logical_and
    logical_not logical_or logical_xor lt masked_fill masked_scatter masked_select max
    max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices maximum min
    minimum ne new_full new_ones new_zeros nonzero ones ones_like pixel_shuffle
    pixel_unshuffle reflection_pad1d reflection_pad2d reflection_pad3d relu repeat
    replication_pad1d replication_pad2d replication_pad3d roll scalar_tensor scatter
    select_scatter slice_scatter sort stack threshold topk tril triu unfold
    _unsafe_view unsafe_chunk unsafe_split unsafe_split_with_sizes
    upsample_nearest1d upsample_nearest2d upsample_nearest3d where zero zeros zeros_like""".split()
)
# Have no numbers yet.
_UNWRITTEN = frozenset("empty empty_like empty_strided new_empty new_empty_strided".split())
# One rounding at most, of a result that is looked at.
_SINGLE = frozenset("abs add mul neg rsub sign sub".split())
# Sums of products: exact in any order when the sums of the magnitudes are small enough.
_SUMS = frozenset(
    """addbmm addmm addmv addr baddbmm bmm convolution cumsum dot index_add mm mv
    scatter_add scatter_reduce sum""".split()
)


class Integers:
    """Watches a run in double; `why_not` says what is the first to break the proof, if any.

    `too_large`: smaller numbers might not break it.
    """

    def __init__(self, precision: str) -> None:
        self._limit = LIMITS[precision]
        self.why_not = ""
        self.too_large = False

    def watch(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        """Sees an operation after it ran."""
        if not self.why_not:
            self.why_not = self._doubt(func, args, kwargs, result)

    def _doubt(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> str:
        written = func._schema.name.partition("::")[2]
        name = written.rstrip("_")
        if name in _UNWRITTEN:
            return ""
        results = [x for x in pytree.tree_leaves(result) if isinstance(x, Tensor)]
        large = [tensor for tensor in results if not self._is_small(tensor)]
        if large:
            self.too_large = any(self._largest(tensor) >= self._limit for tensor in large)
            return f"{name} gives numbers that are no integers below {self._limit}"
        if _is_view(func) or name in _MOVES:
            return ""
        if name in _SINGLE or name in _SUMS:
            numbers = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, float)]
            if any(not number.is_integer() for number in numbers):
                return f"{name} takes a number that is no integer"
        if name in _SINGLE:
            return ""
        if name in _SUMS and kwargs.get("reduce", "sum") == "sum":
            if name == "scatter_reduce" and (len(args) < 5 or args[4] != "sum"):
                return f"{name} may do other than sum"
            bound = func(*_magnitudes(args), **_magnitudes(kwargs))
            # What is written into is looked at after the fact, and was at most so much larger.
            if self._is_small(2 * bound if written.endswith("_") else bound):
                return ""
            self.too_large = True
            return f"{name} sums magnitudes to no less than {self._limit}"
        return f"{name} is not known to keep integers"

    def _is_small(self, tensor: Tensor) -> bool:
        if not tensor.is_floating_point() or tensor.numel() == 0:
            return not tensor.is_complex()
        return bool(self._largest(tensor) < self._limit and torch.equal(tensor, tensor.trunc()))

    @staticmethod
    def _largest(tensor: Tensor) -> float:
        if not tensor.is_floating_point():
            return 0.0
        return float(torch.linalg.vector_norm(tensor, float("inf")).item())


def _magnitudes(value: Any) -> Any:
    return pytree.tree_map_only(Tensor, lambda x: x.abs() if x.is_floating_point() else x, value)


def _is_view(func: OpOverload) -> bool:
    returns = func._schema.returns
    return (
        bool(returns)
        and all(r.alias_info is not None for r in returns)
        and not any(
            a.alias_info is not None and a.alias_info.is_write for a in func._schema.arguments
        )
    )
