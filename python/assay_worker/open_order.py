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


@dataclass(frozen=True)
class Picking:
    """One call: along `dim` of `key`, `indices` say which elements were picked."""

    key: Tensor
    dim: int
    indices: Tensor
    each_once: bool
    first: bool


def picking_of(func: OpOverload, args: Any, kwargs: Any, result: Any) -> Picking | None:
    """What a call has picked; None: it is none of these."""
    name = func._schema.name.removeprefix("aten::")
    alone = name in _FIRST_ALONE
    if not alone and (name not in _OPEN | _FIRST or not isinstance(result, tuple | list)):
        return None
    given = {argument.name: argument.default_value for argument in func._schema.arguments}
    given |= dict(zip(given, args, strict=False)) | (kwargs or {})
    key, dim = given["self"], given.get("dim")
    if key.dim() == 0 or (dim is None and not alone):
        return None
    if dim is None:
        key, dim = key.flatten(), 0
    first = alone or name in _FIRST or bool(given.get("stable"))
    indices = result if alone else result[1]
    return Picking(key, dim % key.dim(), indices, name in _EACH_ONCE, first)


class OpenOrder(TorchDispatchMode):  # type: ignore[misc]
    """While in force, follows what is made of such indices. For tensors without data."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.key_elements = 0  # of all calls
        # By memory: what is said of the indices that it holds, with their strides, one for each
        # dimension of the key; or nothing where they were made something of.
        self._marks: dict[int, tuple[Message, list[int]] | None] = {}

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        marked = self._marked((args, kwargs))
        result = func(*args, **(kwargs or {}))
        if picking := picking_of(func, args, kwargs, result):
            said = {
                "call": self.calls,
                "shape": list(picking.key.shape),
                "dim": picking.dim,
                "each_once": picking.each_once,
                "first": picking.first,
            }
            self._mark(picking.indices, (said, _strides(picking)))
            self.calls += 1
            self.key_elements += picking.key.numel()
        elif marked:
            self._follow(func, marked, result)
        return result

    def of(self, tensor: Tensor) -> Message:
        """What is to be said of a result: {"picks": ...}, {"order_open": true}, or nothing."""
        key = key_of(memory_of(tensor))
        if key not in self._marks or tensor.is_floating_point():
            return {}
        mark = self._marks[key]
        if mark and _is_part(tensor, *mark):
            return {"picks": mark[0]}
        return {} if mark and mark[0]["first"] else {"order_open": True}

    def _marked(self, values: Any) -> list[Tensor]:
        leaves = [x for x in pytree.tree_leaves(values) if isinstance(x, Tensor)]
        return [x for x in leaves if key_of(memory_of(x)) in self._marks]

    def _follow(self, func: OpOverload, marked: list[Tensor], result: Any) -> None:
        written = any(a.alias_info and a.alias_info.is_write for a in func._schema.arguments)
        sources = [self._marks[key_of(memory_of(x))] for x in marked]
        is_open = not all(mark and mark[0]["first"] for mark in sources)
        copied = func._schema.name.removeprefix("aten::") in _COPIES and sources[0]
        for each in pytree.tree_leaves(result):
            if not isinstance(each, Tensor):
                continue
            is_view = key_of(memory_of(each)) in self._marks
            if copied and _is_part(marked[0], *copied) and each.is_contiguous():
                said = copied[0]
                size = each.numel() // math.prod(_others(said))
                self._mark(each, (said, _dense_strides(said, size)))
            elif is_open and (written or not is_view):
                self._mark(each, None)
            elif written and is_view:
                del self._marks[key_of(memory_of(each))]

    def _mark(self, tensor: Tensor, mark: tuple[Message, list[int]] | None) -> None:
        memory = memory_of(tensor)
        key = key_of(memory)
        if key not in self._marks:
            weakref.finalize(memory, self._marks.pop, key, None)
        self._marks[key] = mark


def is_open(said: Message) -> bool:
    """Of what OpenOrder.of() says: equal elements may come in any order."""
    return "order_open" in said or not said.get("picks", {"first": True})["first"]


def _others(said: Message) -> list[int]:
    """The sizes of a key, but for the dimension that was picked along."""
    return [size for n, size in enumerate(said["shape"]) if n != said["dim"]]


def _dense_strides(said: Message, picked: int) -> list[int]:
    return row_major([picked if n == said["dim"] else x for n, x in enumerate(said["shape"])])


def _strides(picking: Picking) -> list[int]:
    rows = picking.key.numel() // picking.key.shape[picking.dim]
    said = {"shape": list(picking.key.shape), "dim": picking.dim}
    return _dense_strides(said, picking.indices.numel() // max(rows, 1))


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


class Keys:
    """Watches a run with data, and keeps what its calls picked from, in double."""

    def __init__(self) -> None:
        self.found: list[tuple[Tensor, int]] = []  # with the dimension

    def watch(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        """Sees an operation after it ran."""
        if picking := picking_of(func, args, kwargs, result):
            self.found.append((picking.key.to(torch.float64, copy=True), picking.dim))


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


def tolerances(eager: Keys, double: Keys) -> list[float] | None:
    """Per call, how far two keys may be apart and count as equal; None: the runs differ."""
    if [x.shape for x, _ in eager.found] != [x.shape for x, _ in double.found]:
        return None
    errors = []
    for (a, _), (b, _) in zip(eager.found, double.found, strict=True):
        apart = (a - b).abs()
        apart = apart[torch.isfinite(apart)]
        errors.append(SLACK * float(apart.max()) if apart.numel() else 0.0)
    return errors


def has_ties(keys: Keys, allowed: list[float]) -> bool:
    """Whether some call picked from elements of which two count as equal."""
    for (key, dim), tolerance in zip(keys.found, allowed, strict=True):
        steps = key.sort(dim).values.diff(dim=dim).abs()
        if bool((steps <= tolerance).any() or torch.isnan(steps).any()):
            return True
    return False
