"""What a candidate leaves to torch, and which errors of its own attempts it hides.

For labels, which decide nothing: what runs in this process can keep either from being seen.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import cache
from types import FrameType
from typing import Any

import torch
from torch._C._profiler import _ExperimentalConfig
from torch.autograd.profiler import profile

# Of each as many are told as have room in a control page, whatever their names are.
_MAX_OPERATIONS = 24
_MAX_HIDDEN = 8
_MAX_OPERATION_CHARACTERS = 48
_MAX_ERROR_CHARACTERS = 40

# How Python looks something up, and how its loops end.
_USUAL = (LookupError, AttributeError, StopIteration, StopAsyncIteration, GeneratorExit)

# Where torch's own operations are, aten aside; those of others are the candidate's.
_OF_TORCH = frozenset(
    ("fbgemm", "inductor", "mkl", "mkldnn", "onednn", "prepacked", "prims", "quantized", "xnnpack")
)
_COMPILED = "Torch-Compiled Region"  # an event of torch.compile, with a number behind it

# These make, copy, convert, fill, join, pad or turn around: values that were there before.
_MOVES = frozenset(
    (
        "_efficientzerotensor",
        "_local_scalar_dense",
        "_to_copy",
        "_unsafe_view",
        "cat",
        "clone",
        "constant_pad_nd",
        "copy",
        "empty_like",
        "fill",
        "flip",
        "full_like",
        "lift_fresh",
        "ones_like",
        "pin_memory",
        "record_stream",
        "repeat",
        "resize",
        "roll",
        "set",
        "stack",
        "zero",
        "zeros_like",
    )
)


class Watch:
    """Owned by one runner, over its set-up and one call."""

    def __init__(self, path: str) -> None:
        """`path` is the file name that the candidate's code was compiled under."""
        self._path = path
        self._operations: Counter[str] = Counter()
        self._hidden: list[tuple[str, int]] = []  # errors, and the lines that they were seen last
        self._last_error: BaseException | None = None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Whatever is raised or passes through the candidate's code in here.

        It was hidden, if the block comes to its end.
        """
        before = sys.gettrace()
        sys.settrace(self._trace_call)
        try:
            yield
        finally:
            sys.settrace(before)
            self._last_error = None  # its frames hold tensors

    @contextmanager
    def operations(self) -> Iterator[None]:
        """What torch computes in here is counted, in whatever thread, by whatever way.

        By torch's profiler: it changes nothing of how operations are found and run.
        """
        with profile(experimental_config=_ExperimentalConfig(profile_all_threads=True)) as profiled:
            yield
        self._operations += _outermost(profiled.kineto_results.events())

    def told(self) -> str:
        """As docs/formats.md has `watched`."""
        operations = self._operations.most_common(_MAX_OPERATIONS)
        hidden = list(dict.fromkeys(self._hidden))[:_MAX_HIDDEN]
        watched = {
            "operations": [{"name": name, "calls": calls} for name, calls in operations],
            "hidden": [{"error": error, "line": line} for error, line in hidden],
        }
        return json.dumps(watched, ensure_ascii=False)

    def _trace_call(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        if frame.f_code.co_filename != self._path:
            return None
        frame.f_trace_lines = False
        return self._trace_error

    def _trace_error(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception" and not issubclass(arg[0], _USUAL):
            seen = (arg[0].__name__[:_MAX_ERROR_CHARACTERS], frame.f_lineno)
            if arg[1] is self._last_error:
                self._hidden.pop()  # it came from one frame further in
            self._hidden.append(seen)
            self._last_error = arg[1]
        return self._trace_error


def warm_up() -> None:
    """Learns of operations that are frequent what is learnt of each that is seen."""
    for name in _FREQUENT.split():
        _told("aten::" + name)


_FREQUENT = """add addmm as_strided bmm clone conv2d convolution copy_ div div_ empty empty_strided
    exp fill_ layer_norm linear matmul max mean mm mul native_layer_norm permute pow relu reshape
    resolve_conj rsqrt select slice softmax _softmax sub sum t to _to_copy transpose unsqueeze
    view"""


def _outermost(events: list[Any]) -> Counter[str]:
    """Operations that compute, but for what others call."""
    count: Counter[str] = Counter()
    ends_ns: dict[int, int] = {}  # by thread: of the outermost one that was last
    for event in sorted(events, key=lambda each: (each.start_ns(), -each.duration_ns())):
        kind, name = _told(event.name())
        thread, start_ns = event.start_thread_id(), event.start_ns()
        if kind is not _Kind.MADE_OF_OTHERS and start_ns >= ends_ns.get(thread, 0):
            ends_ns[thread] = start_ns + event.duration_ns()
            count[name[:_MAX_OPERATION_CHARACTERS]] += kind is _Kind.COMPUTES
    return +count


class _Kind(Enum):
    COMPUTES = auto()
    MOVES = auto()  # whatever it calls to do so
    MADE_OF_OTHERS = auto()  # which are events, too; or nothing of torch's


@cache
def _told(event: str) -> tuple[_Kind, str]:
    """With the name that it is told by: `add`, of `aten::add` and `aten::add_`."""
    if event.startswith(_COMPILED):
        return _Kind.COMPUTES, "torch.compile"
    space, _, name = event.partition("::")
    if space in _OF_TORCH:
        return _Kind.COMPUTES, event
    packet = getattr(torch.ops.aten, name, None) if space == "aten" else None
    if packet is None:
        return _Kind.MADE_OF_OTHERS, ""
    all_overloads = (getattr(packet, overload) for overload in packet.overloads())
    overloads = [each for each in all_overloads if _is_called(each)]
    name = name.rstrip("_")
    if all(map(_is_composite, overloads)):
        return _Kind.MADE_OF_OTHERS, ""
    if name in _MOVES or name.startswith("new_") or not any(map(_makes_values, overloads)):
        return _Kind.MOVES, ""
    return _Kind.COMPUTES, name


def _is_called(overload: Any) -> bool:
    """It is no TorchScript's alone, and not what differs by where the result goes."""
    has_out = any(argument.is_out for argument in overload._schema.arguments)
    return torch._C._dispatch_has_kernel(overload.name()) and not has_out


def _is_composite(overload: Any) -> bool:
    key = "CompositeImplicitAutograd"
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), key))


def _makes_values(overload: Any) -> bool:
    """It takes tensors, and returns other than views of them."""
    schema = overload._schema
    takes_tensors = any("Tensor" in str(argument.type) for argument in schema.arguments)
    is_view = any(
        result.alias_info is not None and not result.alias_info.is_write
        for result in schema.returns
    )
    return takes_tensors and not is_view
