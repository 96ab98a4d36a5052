"""Where the time of a call goes: which operators of torch's it has, and how long each takes.

Torch's dispatcher knows of each operator what it is called with, and asking it costs microseconds a
time. Torch's profiler costs a tenth of that, and knows times. So both look at the same call: first
the dispatcher, then the profiler as often as there is time for. Where they do not see the same
operators in the same order, the times are the dispatcher's, too.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.autograd.profiler import profile
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from assay_worker.flops import Flops
from assay_worker.protocol import Message, write_line
from assay_worker.signature import DTYPE_WORDS

# Of one call; a model that has more is told of as far as that.
_MOST_OPERATORS = 50_000
_LEAST_CALLS, _MOST_CALLS = 3, 50
_NS = 1_000_000_000  # that calls are repeated for, about
_MOST_SHAPES = 4

# Its place in the list of those that differ; when it began, behind the first; how long it took.
Timed = tuple[int, int, int]


@dataclass(frozen=True)
class _Operator:
    """One that differs from others by its name or by what it is called with."""

    schema: str  # "aten::addmm"
    name: str  # "addmm 64 128x32 32x64 f32"
    flops: int | None
    bytes: int


@dataclass
class _Seen:
    """The operators of one call, in order."""

    began: list[int] = field(default_factory=list)
    took: list[int] = field(default_factory=list)
    which: list[_Operator] = field(default_factory=list)


class _Dispatched(TorchDispatchMode):  # type: ignore[misc]
    """While in force, keeps what reaches torch's dispatcher: what is made of others does not."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = _Seen()

    def __torch_dispatch__(
        self, func: OpOverload, _types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Calls it, and keeps what it was."""
        kwargs = kwargs or {}
        began = time.perf_counter_ns()
        result = func(*args, **kwargs)
        took = time.perf_counter_ns() - began
        is_note = func._schema.name.startswith("profiler::")  # a name for a part of the model
        if not is_note and len(self.seen.which) < _MOST_OPERATORS:
            self.seen.began.append(began)
            self.seen.took.append(took)
            self.seen.which.append(_told_of(func, args, kwargs, result))
        return result


def count_operators(call: Callable[[AbstractContextManager[Any]], int]) -> Message:
    """What src/measure/operator_times.h reads of calls.

    `call` does one, within what it is given, and returns the nanoseconds of that.
    """
    call(nullcontext())  # what is done once is none of it
    plain = [call(nullcontext())]
    _, first = _dispatched(call)
    calls: list[tuple[int, _Seen]] = []
    by = "profiler"
    for _ in range(max(_LEAST_CALLS, min(_MOST_CALLS, _NS // (3 * max(plain[0], 1))))):
        plain.append(call(nullcontext()))
        profiled = profile()
        ns = call(profiled)
        seen = _in_order(profiled.kineto_results.events(), first.which)
        if seen is None:
            by, calls = "dispatcher", [_dispatched(call) for _ in range(_LEAST_CALLS)]
            break
        calls.append((ns, seen))
    different: dict[_Operator, int] = {}
    told = [{"call_ns": ns, "operators": list(_timed(seen, different))} for ns, seen in calls]
    return {
        "by": by,
        "plain_ns": plain,
        "calls": told,
        "operators": [
            {"name": each.name, "flops": each.flops, "bytes": each.bytes} for each in different
        ],
    }


def write_operators(call: Callable[[AbstractContextManager[Any]], int], descriptor: int) -> None:
    """The same as one line of JSON in a file."""
    write_line(descriptor, count_operators(call))


def _dispatched(call: Callable[[AbstractContextManager[Any]], int]) -> tuple[int, _Seen]:
    watch = _Dispatched()
    return call(watch), watch.seen


def _timed(seen: _Seen, different: dict[_Operator, int]) -> Iterator[Timed]:
    first = seen.began[0] if seen.began else 0
    for began, took, which in zip(seen.began, seen.took, seen.which, strict=True):
        yield different.setdefault(which, len(different)), began - first, took


def _in_order(events: list[Any], order: list[_Operator]) -> _Seen | None:
    """The profiler's events that are these operators, each without those that it is made of.

    What surrounds an operator is no operator itself: functions made of others, and names that a
    model gives to parts of its own. None: some are not there.
    """
    seen, end_ns = _Seen(), 0
    for event in sorted(events, key=lambda each: (each.start_ns(), -each.duration_ns())):
        if len(seen.which) == len(order):
            break
        which = order[len(seen.which)]
        start_ns, took_ns = event.start_ns(), event.duration_ns()
        if start_ns < end_ns or event.name() != which.schema:
            continue
        end_ns = start_ns + took_ns
        seen.began.append(start_ns)
        seen.took.append(took_ns)
        seen.which.append(which)
    return seen if len(seen.which) == len(order) else None


def _told_of(func: OpOverload, args: Any, kwargs: Any, result: Any) -> _Operator:
    given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    made = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
    schema = str(func._schema.name)
    shapes = ["x".join(map(str, each.shape)) or "scalar" for each in given[:_MOST_SHAPES]]
    if len(given) > _MOST_SHAPES:
        shapes.append("...")
    of = (given or made)[:1]
    words = [schema.removeprefix("aten::"), *shapes, *(_word(each.dtype) for each in of)]
    flops = Flops()
    flops.add(func, args, kwargs, result)
    return _Operator(
        schema, " ".join(words), flops.count or None, 0 if _is_view(func) else _bytes(given + made)
    )


def _word(dtype: torch.dtype) -> str:
    return DTYPE_WORDS.get(dtype, str(dtype).removeprefix("torch."))


def _is_view(func: OpOverload) -> bool:
    """It reads and writes nothing."""
    return any(
        each.alias_info is not None and not each.alias_info.is_write
        for each in func._schema.returns
    )


def _bytes(tensors: list[Tensor]) -> int:
    """Of all, each once; of a tensor that repeats its memory, that."""
    by_place: dict[int, int] = {}
    for each in tensors:
        if each.layout is not torch.strided or each.is_meta:
            continue
        held = min(each.nbytes, each.untyped_storage().nbytes())
        place = each.data_ptr()
        by_place[place] = max(held, by_place.get(place, 0))
    return sum(by_place.values())
