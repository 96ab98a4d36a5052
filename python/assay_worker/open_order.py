"""Operations that give the places of elements: topk, sort, argmax.

Of some torch leaves open in what order equal elements come; and elements that were computed may be
equal but for a rounding. Then another place is no fault where an element lies that is as large. So
the judge gets the elements themselves, the keys; these modes follow which results are such indices.
"""

import math
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from assay_worker.aliases import key_of, memory_of
from assay_worker.protocol import Message
from assay_worker.sheet import row_major

# Their first result holds elements, the second their places.
_OPEN = frozenset(("topk", "sort", "median", "nanmedian", "kthvalue", "mode"))
_EACH_ONCE = frozenset(("topk", "sort"))
# Of equal elements these give the first.
_FIRST = frozenset(("max", "min"))
_FIRST_ALONE = frozenset(("argmax", "argmin"))  # and have no other result
_COPIES = frozenset(("clone", "_to_copy"))
# How much further apart than torch's own keys are from exact ones two keys may be and count as
# equal: both may be off by what a result may be off by, 16 times, and a quarter more.
SLACK = 40
# How many times more, or less, than usual is no jump.
_UNUSUAL = 4
# A row that is smaller than this part of the largest has roundings of such a one.
_LEAST_SIZE = 2.0**-20
# Of zeros.
_LEAST_SHAKE = 1e-290


@dataclass(frozen=True)
class Picking:
    """One call, that picks elements along `dim` of `key`."""

    key: Tensor
    dim: int
    each_once: bool
    first: bool


def picking_of(func: OpOverload, args: Any, kwargs: Any) -> Picking | None:
    """What a call picks from; None: it is none of these."""
    name = func._schema.name.removeprefix("aten::")
    alone = name in _FIRST_ALONE
    if not alone and name not in _OPEN | _FIRST:
        return None
    given = {argument.name: argument.default_value for argument in func._schema.arguments}
    given |= dict(zip(given, args, strict=False)) | (kwargs or {})
    key, dim = given["self"], given.get("dim")
    if key.dim() == 0 or (dim is None and not alone):
        return None
    if dim is None:
        key, dim = key.flatten(), 0
    first = alone or name in _FIRST or bool(given.get("stable"))
    return Picking(key, dim % key.dim(), name in _EACH_ONCE, first)


class OpenOrder(TorchDispatchMode):  # type: ignore[misc]
    """While in force, follows what is made of such indices. For tensors without data."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.key_elements = 0  # of all calls
        # By memory: what is said of the indices that it holds, with their strides, one for each
        # dimension of the key; or, where something was made of them, whether their order is open.
        self._marks: dict[int, tuple[Message, list[int]] | bool] = {}

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        marked = self._marked((args, kwargs))
        result = func(*args, **(kwargs or {}))
        if picking := picking_of(func, args, kwargs):
            indices = result if isinstance(result, Tensor) else result[1]
            said = {
                "call": self.calls,
                "shape": list(picking.key.shape),
                "dim": picking.dim,
                "each_once": picking.each_once,
                "first": picking.first,
            }
            rows = math.prod(_others(said))
            self._mark(indices, (said, _dense_strides(said, indices.numel() // max(rows, 1))))
            self.calls += 1
            self.key_elements += picking.key.numel()
        elif marked:
            self._follow(func, marked, result)
        return result

    def of(self, tensor: Tensor) -> Message:
        """What is to be said of a result: {"picks": ...}, {"order_open": ...}, or nothing."""
        key = key_of(memory_of(tensor))
        if key not in self._marks:
            return {}
        mark = self._marks[key]
        if isinstance(mark, tuple) and _is_part(tensor, *mark):
            return {"picks": mark[0]}
        return {"order_open": _is_open(mark)}

    def _marked(self, values: Any) -> list[Tensor]:
        leaves = [x for x in pytree.tree_leaves(values) if isinstance(x, Tensor)]
        return [x for x in leaves if key_of(memory_of(x)) in self._marks]

    def _follow(self, func: OpOverload, marked: list[Tensor], result: Any) -> None:
        written = any(a.alias_info and a.alias_info.is_write for a in func._schema.arguments)
        sources = [self._marks[key_of(memory_of(x))] for x in marked]
        is_copied = func._schema.name.removeprefix("aten::") in _COPIES
        copied = sources[0] if is_copied and isinstance(sources[0], tuple) else None
        for each in pytree.tree_leaves(result):
            if not isinstance(each, Tensor):
                continue
            is_view = key_of(memory_of(each)) in self._marks
            if copied and _is_part(marked[0], *copied) and each.is_contiguous():
                said = copied[0]
                size = each.numel() // math.prod(_others(said))
                self._mark(each, (said, _dense_strides(said, size)))
            elif written or not is_view:
                self._mark(each, any(map(_is_open, sources)))

    def _mark(self, tensor: Tensor, mark: tuple[Message, list[int]] | bool) -> None:
        memory = memory_of(tensor)
        key = key_of(memory)
        if key not in self._marks:
            weakref.finalize(memory, self._marks.pop, key, None)
        self._marks[key] = mark


def _is_open(mark: tuple[Message, list[int]] | bool) -> bool:
    return mark if isinstance(mark, bool) else not mark[0]["first"]


def is_open(said: Message) -> bool:
    """Of what OpenOrder.of() says: equal elements may come in any order."""
    return bool(said.get("order_open")) or not said.get("picks", {"first": True})["first"]


def _others(said: Message) -> list[int]:
    """The sizes of a key, but for the dimension that was picked along."""
    return [size for n, size in enumerate(said["shape"]) if n != said["dim"]]


def _dense_strides(said: Message, picked: int) -> list[int]:
    return row_major([picked if n == said["dim"] else x for n, x in enumerate(said["shape"])])


def _is_part(tensor: Tensor, said: Message, strides: list[int]) -> bool:
    """Whether it has indices for all rows, in order: all of them, or some along what was picked.

    Dimensions may be split, joined or added, as long as the others lie as they lay.
    """
    dim = said["dim"]
    if tensor.numel() == 0:
        return False
    rows = math.prod(_others(said))
    picked = tensor.numel() // rows
    # As the key has them, with strides; then both without dimensions of one element.
    wanted = [(picked if n == dim else size, strides[n]) for n, size in enumerate(said["shape"])]
    found = zip(tensor.shape, tensor.stride(), strict=True)
    return picked * rows == tensor.numel() and _joined(wanted) == _joined(found)


def _joined(dimensions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sizes and strides, with neighbours that lie in one piece made one."""
    joined: list[tuple[int, int]] = []
    for size, stride in dimensions:
        if size == 1:
            continue
        if joined and joined[-1][1] == size * stride:
            joined[-1] = (joined[-1][0] * size, stride)
        else:
            joined.append((size, stride))
    return joined


@dataclass(frozen=True)
class Key:
    """What a call picked from, in double."""

    values: Tensor
    dim: int
    is_whole: bool  # indices, counts: no roundings

    def tolerance(self, eager: "Key") -> Tensor:
        """How far two elements may be apart and count as equal, for each row along `dim`.

        Told by how far eager's are from these. Of rows that are further off than usual, for their
        size, a jump is why: they were masked or routed otherwise. They are held to what is usual.
        """
        apart = (eager.values - self.values).abs().nan_to_num(0, 0, 0)
        if self.is_whole or not apart.any():
            return apart.new_zeros(1)
        apart = apart.amax(self.dim, keepdim=True)
        size = self.values.abs().nan_to_num(0, 0, 0).amax(self.dim, keepdim=True)
        size = size.clamp(min=_LEAST_SIZE * float(size.max()))
        if not size.any():
            return SLACK * apart
        usual = (apart / size)[apart > 0].median() * size
        return SLACK * apart.clamp(usual / _UNUSUAL, usual * _UNUSUAL)


class Keys:
    """Watches a run with data, and keeps what its calls picked from."""

    def __init__(self) -> None:
        self.found: list[Key] = []

    def watch(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        """Sees an operation after it ran."""
        if picking := picking_of(func, args, kwargs):
            key = picking.key.to(torch.float64, copy=True)
            self.found.append(Key(key, picking.dim, not picking.key.is_floating_point()))


class Watching(TorchDispatchMode):  # type: ignore[misc]
    """While in force, shows each operation to `watch` after it ran."""

    def __init__(self, watch: Callable[[OpOverload, Any, Any, Any], None]) -> None:
        super().__init__()
        self._watch = watch

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self._watch(func, args, kwargs or {}, result)
        return result


def tolerances(eager: Keys, double: Keys) -> list[Tensor] | None:
    """Of each call, as Key.tolerance() has it; None: the runs differ."""
    if [x.values.shape for x in eager.found] != [x.values.shape for x in double.found]:
        return None
    return [b.tolerance(a) for a, b in zip(eager.found, double.found, strict=True)]


class Shake:
    """Moves keys a little before an operation picks from them: equal ones come in another order.

    By no more than torch's own are off: what that changes of a result, nobody can be blamed for. Or
    by so many times that: a candidate's may be off by more, where its result may be.
    """

    def __init__(self, tolerances: list[Tensor], seed: int, times: float) -> None:
        self._tolerances = [tolerance / SLACK * times for tolerance in tolerances]
        self._calls = 0
        self._random = torch.Generator().manual_seed(seed)

    def before(self, func: OpOverload, args: Any, kwargs: Any) -> Any:
        """The arguments for an operation."""
        picking = picking_of(func, args, kwargs)
        if picking is None or self._calls >= len(self._tolerances):
            return args
        tolerance = self._tolerances[self._calls]
        self._calls += 1
        key = args[0]
        if not key.is_floating_point():
            return args
        if not picking.first:
            tolerance = tolerance + key.abs() * 2.0**-40 + _LEAST_SHAKE
        elif not picking.key.shape == key.shape:  # of all dimensions, as one
            tolerance = tolerance.max()
        noise = 2 * torch.rand(key.shape, generator=self._random, dtype=key.dtype) - 1
        moved = key + noise * tolerance
        return (torch.where(moved.isfinite(), moved, key), *args[1:])
