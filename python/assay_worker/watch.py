"""What a candidate leaves to torch, and which errors of its own attempts it hides.

For labels, which decide nothing: what runs in this process can keep either from being seen.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

# Of each as many are told as have room in a control page, whatever their names are.
_MAX_OPERATIONS = 24
_MAX_HIDDEN = 8
_MAX_OPERATION_CHARACTERS = 48
_MAX_ERROR_CHARACTERS = 40

# How Python looks something up, and how its loops end.
_USUAL = (LookupError, AttributeError, StopIteration, StopAsyncIteration, GeneratorExit)

# These move, make or fill; what they write was computed before, or is a constant.
_COMPUTE_NOTHING = frozenset(
    (
        "_efficientzerotensor",
        "_local_scalar_dense",
        "_to_copy",
        "_unsafe_view",
        "cat",
        "clone",
        "copy",
        "empty_like",
        "fill",
        "full_like",
        "lift_fresh",
        "lift_fresh_copy",
        "ones_like",
        "pin_memory",
        "record_stream",
        "resize",
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

    def operations(self) -> TorchDispatchMode:
        """In force, what torch computes is counted, wherever it is called from."""
        return _Operations(self._operations)

    def told(self) -> str:
        """`{"operations": {name: calls}, "hidden": [[error, line]]}`."""
        operations = dict(self._operations.most_common(_MAX_OPERATIONS))
        hidden = list(dict.fromkeys(self._hidden))[:_MAX_HIDDEN]
        return json.dumps({"operations": operations, "hidden": hidden})

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


class _Operations(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, count: Counter[str]) -> None:
        super().__init__()
        self._count = count

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else the first operation imports torch's compiler, which takes more than a second.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "aten" and _computes(func):
            self._count[_name_of(func)[:_MAX_OPERATION_CHARACTERS]] += 1
        return func(*args, **(kwargs or {}))


def _name_of(func: Any) -> str:
    """`add`, of `add.Tensor`, `add.out` and `add_`."""
    return str(func.overloadpacket.__name__).rstrip("_")


def _computes(func: Any) -> bool:
    schema = func._schema
    takes_tensors = any("Tensor" in str(argument.type) for argument in schema.arguments)
    is_view = any(
        result.alias_info is not None and not result.alias_info.is_write
        for result in schema.returns
    )
    name = _name_of(func)
    return takes_tensors and not (is_view or name in _COMPUTE_NOTHING or name.startswith("new_"))
