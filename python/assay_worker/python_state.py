"""What a call of `forward` leaves behind in plain Python: in attributes, lists, globals.

Parameters and buffers are not looked at: torch follows those, and a program carries them.
"""

import random
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy
from torch import Tensor, nn

# Beyond, nothing is looked at: what is as large is a table, and no state.
MAX_PLACES = 10_000

# Also the lists that recurrent modules keep of their own parameters.
_TORCHS_OWN = frozenset((*vars(nn.Module()), "_flat_weights", "_flat_weight_refs")) - {"training"}
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, staticmethod, classmethod, property)
_NOT_ENTERED = (Tensor, nn.Module, type, ModuleType, *_FUNCTIONS)
# Exactly these: what is derived from them may refuse to be changed.
_CONTAINERS = (dict, OrderedDict, defaultdict, Counter, list, set, deque, tuple)
_PLAIN = (int, float, complex, bool, str, bytes)
_GENERATORS = (
    ("random", random.getstate, random.setstate),
    ("numpy.random", numpy.random.get_state, numpy.random.set_state),
)


@dataclass(frozen=True)
class _Place:
    """Something that holds values and can be changed."""

    name: str  # empty for the problem's file
    # A class, a list, a set, a deque, a dictionary; or a tuple, which may hold one of them.
    content: Any
    has_attributes: bool = False  # a dictionary with those of an object

    def items(self) -> dict[Any, Any]:
        if isinstance(self.content, type):
            values = dict(vars(self.content))
            return {k: v for k, v in values.items() if k[:2] != "__" and _is_state(v)}
        if not isinstance(self.content, dict):
            return dict(enumerate(self.content))
        if self.has_attributes:
            return {k: v for k, v in self.content.items() if k[:2] != "__" and k not in _TORCHS_OWN}
        return dict(self.content)

    def name_of(self, key: Any) -> str:
        if self.has_attributes:
            return f"{self.name}.{key}".lstrip(".")
        return f"{self.name}[{key!r}]" if isinstance(self.content, dict) else self.name

    def put_back(self, items: dict[Any, Any]) -> None:
        now = self.items()
        if not _differing(items, now):
            return
        if isinstance(self.content, type):
            for key in now.keys() - items.keys():
                delattr(self.content, key)
            for key, value in items.items():
                if now.get(key) is not value:
                    setattr(self.content, key, value)
        elif isinstance(self.content, dict):
            for key in now.keys() - items.keys():
                del self.content[key]
            self.content.update(items)
        elif not isinstance(self.content, tuple):
            self.content.clear()
            add = self.content.update if isinstance(self.content, set) else self.content.extend
            add(items.values())


class Snapshot:
    """The values that a model, its modules and its file hold at one time."""

    def __init__(self, model: nn.Module) -> None:
        self._held = [(place, place.items()) for place in _places(model)]
        self._generators = [state() for _, state, _ in _GENERATORS]

    def changed(self) -> list[str]:
        """Names of what is another value now, such as `self.count`, `self.seen` or `random`."""
        names: set[str] = set()
        for place, before in self._held:
            names.update(map(place.name_of, _differing(before, place.items())))
        for (name, state, _), drawn in zip(_GENERATORS, self._generators, strict=True):
            if not _same(state(), drawn):
                names.add(name)
        return sorted(names)

    def restore(self) -> None:
        for place, items in self._held:
            place.put_back(items)
        for (_, _, put_back), drawn in zip(_GENERATORS, self._generators, strict=True):
            put_back(drawn)


def _places(model: nn.Module) -> Iterator[_Place]:
    waiting: deque[_Place] = deque()
    file = type(model).__module__
    for path, module in model.named_modules():
        waiting.append(_Place(f"self.{path}" if path else "self", vars(module), True))
        if type(module).__module__ == file:
            waiting.append(_Place(type(module).__name__, type(module), True))
    if file in sys.modules:
        waiting.append(_Place("", vars(sys.modules[file]), True))
    seen: set[int] = set()
    while waiting and len(seen) < MAX_PLACES:
        place = waiting.popleft()
        if id(place.content) in seen:
            continue
        seen.add(id(place.content))
        yield place
        for key, value in place.items().items():
            if type(value) in _CONTAINERS:
                waiting.append(_Place(place.name_of(key), value))
            elif not isinstance(value, _NOT_ENTERED) and isinstance(
                getattr(value, "__dict__", None), dict
            ):
                waiting.append(_Place(place.name_of(key), vars(value), True))


def _differing(before: dict[Any, Any], now: dict[Any, Any]) -> list[Any]:
    return [
        key
        for key in {**before, **now}
        if key not in before or key not in now or not _same(before[key], now[key])
    ]


def _is_state(value: Any) -> bool:
    return not isinstance(value, _FUNCTIONS)


def _same(a: Any, b: Any) -> bool:
    """Whether one stands for the other in all that Python computes. Tensors: only the very same."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, numpy.ndarray):
        return bool(a.dtype != object and a.tobytes() == b.tobytes() and a.shape == b.shape)
    return isinstance(a, _PLAIN) and repr(a) == repr(b)
