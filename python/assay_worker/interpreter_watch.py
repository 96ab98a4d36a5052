"""Triton's interpreter, watched: which kernels run, in which types, and what memory they touch.

It computes some types otherwise than devices do, and touches whatever memory it is told to. What
lies outside of all tensors is not written, and read as a number that is another one in each
process; and it is told. Else it would be anything, or end the process.
"""

import gc
import importlib
import inspect
import time
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch
from triton.runtime import interpreter

# GPUs round these; the interpreter has no such numbers, and computes in others.
_NARROW = {
    torch.bfloat16: "bf16",
    **{
        getattr(torch, name): "fp8"
        for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
        if hasattr(torch, name)
    },
}


@dataclass
class Seen:
    """What kernels have done in this process."""

    launches: dict[str, int] = field(default_factory=dict)  # by the kernel's name
    narrow: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)  # "read", "written"
    ranges: Any = None  # of memory that tensors have: begins and ends, sorted

    def take_ranges(self, tensors: Any) -> None:
        found = set()
        for each in tensors:
            storage = each.untyped_storage()
            begin = storage.data_ptr()
            found.add((begin, begin + storage.nbytes()))
        self.ranges = _merged(found)

    def inside(self, pointers: Any, size: int, mask: Any) -> Any:
        """The mask, without what lies in no tensor."""
        if not mask.any():
            return mask
        good = _are_in(self.ranges, pointers, size)
        if not (mask & ~good).any():
            return mask
        # Tensors of which the launch has only addresses: rare, and to look at all takes long.
        self.take_ranges(each for each in gc.get_objects() if isinstance(each, torch.Tensor))
        return mask & _are_in(self.ranges, pointers, size)


def _merged(ranges: set[tuple[int, int]]) -> Any:
    ordered = sorted(ranges)
    begins: list[int] = []
    ends: list[int] = []
    for begin, end in ordered:
        if begins and begin <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            begins.append(begin)
            ends.append(end)
    return numpy.array(begins, dtype=numpy.uint64), numpy.array(ends, dtype=numpy.uint64)


def _are_in(ranges: Any, pointers: Any, size: int) -> Any:
    begins, ends = ranges
    if len(begins) == 0:
        return numpy.zeros(pointers.shape, dtype=bool)
    at = numpy.searchsorted(begins, pointers, side="right")
    known = at > 0
    ends_at = ends[numpy.maximum(at, 1) - 1]
    return known & (pointers + numpy.uint64(size) <= ends_at)


class _Memory:
    """In the place of what touches memory for the interpreter."""

    def __init__(self, native: Any, seen: Seen) -> None:
        self._native, self._seen = native, seen
        self._nothing = numpy.float64(3 + time.perf_counter_ns() % 120)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def load(self, pointers: Any, mask: Any, other: Any, dtype: Any) -> Any:
        asked = numpy.ascontiguousarray(mask, dtype=bool)
        mask = self._looked_at(pointers, numpy.dtype(dtype).itemsize, asked, "read")
        loaded = self._native.load(pointers, mask, other, dtype)
        if mask is not asked:
            loaded = numpy.where(asked & ~mask, self._nothing.astype(dtype), loaded)
        return loaded

    def store(self, pointers: Any, value: Any, mask: Any) -> Any:
        mask = self._looked_at(pointers, value.dtype.itemsize, mask, "written")
        return self._native.store(pointers, value, mask)

    def atomic_rmw(self, operation: Any, pointers: Any, value: Any, mask: Any, order: Any) -> Any:
        mask = self._looked_at(pointers, value.dtype.itemsize, mask, "written")
        return self._native.atomic_rmw(operation, pointers, value, mask, order)

    def _looked_at(self, pointers: Any, size: int, mask: Any, how: str) -> Any:
        mask = numpy.ascontiguousarray(mask, dtype=bool)  # it takes no other
        kept = self._seen.inside(pointers, size, mask)
        if kept is not mask:
            if numpy.array_equal(kept, mask):
                return mask
            self._seen.outside.add(how)
        return kept


def install() -> Seen:
    """From here on what it returns is told of each launch."""
    seen = Seen()
    executor = interpreter.GridExecutor
    call, begin = executor.__call__, executor.__init__

    def launched(self: Any, *arguments: Any, **named: Any) -> Any:
        name = getattr(self.fn, "__name__", "kernel")
        seen.launches[name] = seen.launches.get(name, 0) + 1
        given = (*arguments, *named.values())
        for each in given:
            word = _NARROW.get(getattr(each, "dtype", None))
            if word:
                seen.narrow.add(word)
        seen.take_ranges(_tensors_in(given))
        return call(self, *arguments, **named)

    def begun(self: Any, fn: Any, *arguments: Any, **named: Any) -> None:
        begin(self, fn, *arguments, **named)
        # `BLOCK: "tl.constexpr"` means the type, which is taken for a number's.
        for name, kind in inspect.get_annotations(fn).items():
            if isinstance(kind, str) and kind.strip("\"'").endswith("constexpr"):
                self.constexprs.append(name)
        if callable(self.grid):
            grid = self.grid
            self.grid = lambda meta: tuple(grid(meta))
        elif isinstance(self.grid, list):  # devices take both
            self.grid = tuple(self.grid)

    executor.__call__, executor.__init__ = launched, begun
    interpreter._interpreter = _Memory(interpreter._interpreter, seen)
    for name in vars(interpreter.InterpreterBuilder).copy():
        word = "bf16" if "bf16" in name else "fp8" if "fp8" in name else None
        if word and name.startswith("get_"):
            _mark(name, word, seen)
    _refuse_libdevice()
    return seen


def _refuse_libdevice() -> None:
    """Functions of the devices' own libraries: the interpreter has none, and some give nothing."""
    for name in ("cuda.libdevice", "hip.libdevice", "libdevice"):
        try:
            module = importlib.import_module(f"triton.language.extra.{name}")
        except ImportError:  # of another version
            continue
        for function, member in list(vars(module).items()):
            if inspect.isfunction(member) and not function.startswith("_"):
                setattr(module, function, _refused(function))


def _refused(function: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"libdevice's {function} is not supported in interpreter mode")

    return refuse


def _tensors_in(values: Any) -> Any:
    for each in values:
        if isinstance(each, torch.Tensor):
            yield each
        elif isinstance(each, list | tuple):
            yield from _tensors_in(each)
        elif isinstance(getattr(each, "base", None), torch.Tensor):  # a wrapped one, a descriptor
            yield each.base


def _mark(name: str, word: str, seen: Seen) -> None:
    original = getattr(interpreter.InterpreterBuilder, name)

    def marked(self: Any, *arguments: Any) -> Any:
        seen.narrow.add(word)
        return original(self, *arguments)

    setattr(interpreter.InterpreterBuilder, name, marked)
