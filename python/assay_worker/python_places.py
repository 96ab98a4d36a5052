"""Where plain Python keeps values from call to call: how each such place is read and put back.

Not looked into, so that what changes there is not seen: arrays of more than MAX_ARRAY_BYTES,
iterators other than generators and itertools.count, the tables of functools.cache,
variables and classes of other modules, and objects of the standard library, torch or numpy (files,
queues, threads, loggers, torch.Generator), but for those that are named here.
"""

import functools
import itertools
import marshal
import random
import sys
from array import array
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, GeneratorType, MemberDescriptorType, MethodType, SimpleNamespace
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

# What is as large is a table, and no state.
MAX_ARRAY_BYTES = 16 << 20

Items = dict[Any, Any]


@dataclass(frozen=True)
class Place:
    """Something that holds values and can be changed.

    `write` gets what `read` gave at another time; None where nothing can be put back, but for a
    tuple, whose items may change and which itself does not.
    """

    name: str  # empty for the problem's file
    read: Callable[[], Items]
    write: Callable[[Items], None] | None
    name_of: Callable[[Any], str]  # of what stands under a key
    is_ordered: bool = False  # whether the order of the keys is part of the value
    is_whole: bool = False  # whether what it holds is a copy, with nothing to be looked into


def places(name: str, value: Any, file: str) -> Iterator[Place]:
    """What of `value` can be changed. `file` is the name of the problem's module."""
    if isinstance(value, type):
        if value.__module__ == file:
            yield _of_class(name, value)
    elif isinstance(value, FunctionType):
        if value.__module__ == file:
            yield _attributes(name, value)
            yield _defaults(name, value)
            yield _cells(name, value)
    elif isinstance(value, Tensor):
        yield _attributes(name, value, _OF_TENSORS)
    elif isinstance(value, nn.Module):
        yield _attributes(name, value, _OF_MODULES)
        yield from _slots(name, value)
    elif value is sys.modules.get(file):
        yield _attributes(name, value)
    elif isinstance(value, _CONTAINERS):
        yield _container(name, value)
        if _is_open(type(value)):
            yield from _object(name, value)
    elif isinstance(value, tuple(_STATES)):
        yield from _state(name, value)
    elif _is_open(type(value)):
        yield from _object(name, value)


def inside(name: str, value: Any, file: str) -> Iterator[tuple[str, Any]]:
    """(name, value) of more that belongs to `value`, and that it does not hold as its items."""
    if isinstance(value, nn.Module):
        for held in ("_modules", "_parameters", "_buffers"):
            items = vars(value).get(held, {}).items()  # none before nn.Module.__init__()
            yield from ((f"{name}.{key}", each) for key, each in items)
    elif isinstance(value, staticmethod | classmethod | MethodType):
        yield name, value.__func__
        yield name, getattr(value, "__self__", None)
    elif isinstance(value, property):
        yield from ((name, each) for each in (value.fget, value.fset, value.fdel))
    elif isinstance(value, functools.partial):
        yield from ((name, each) for each in (value.func, value.args, value.keywords))
    elif isinstance(value, functools._lru_cache_wrapper):
        yield name, value.__wrapped__
    for base in (value if isinstance(value, type) else type(value)).__mro__:
        if base.__module__ == file:
            yield base.__name__, base


def same(a: Any, b: Any) -> bool:
    """Whether one stands for the other in all that Python computes. Tensors: only the very same."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and (_is_written_alike(a, b) or all(map(same, a, b)))
    if type(a) is dict:
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, numpy.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return all(map(same, a.flat, b.flat)) if a.dtype == object else a.tobytes() == b.tobytes()
    return isinstance(a, _PLAIN) and repr(a) == repr(b)


def _is_written_alike(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether they are the same by their bytes: soon said of the hundreds of a generator's state.

    The second version of marshal's format says nothing of who else holds a value.
    """
    try:
        return marshal.dumps(a, 2) == marshal.dumps(b, 2)
    except ValueError:  # of something that has no such bytes
        return False


_PLAIN = (int, float, complex, bool, str, bytes, bytearray)
_CHANGING = (OrderedDict, dict, list, set, deque)
_CONTAINERS = (*_CHANGING, tuple, frozenset)
_LIBRARIES = sys.stdlib_module_names | {"assay_worker", "iree", "numpy", "torch"}
_OPEN = (SimpleNamespace, UserDict, UserList)

# Also the lists that recurrent modules keep of their own parameters.
_OF_MODULES = frozenset((*vars(nn.Module()), "_flat_weights", "_flat_weight_refs")) - {"training"}
with FakeTensorMode():
    _OF_TENSORS = frozenset(vars(nn.Parameter(torch.empty(1))))


def _is_open(kind: type) -> bool:
    return kind in _OPEN or str(kind.__module__).partition(".")[0] not in _LIBRARIES


def _dotted(name: str) -> Callable[[Any], str]:
    return lambda key: f"{name}.{key}".lstrip(".")


def _attributes(name: str, value: Any, without: frozenset[str] = frozenset()) -> Place:
    held = vars(value)

    def read() -> Items:
        return {k: v for k, v in held.items() if k[:2] != "__" and k not in without}

    def write(items: Items) -> None:
        for key in read().keys() - items.keys():
            del held[key]
        held.update(items)

    return Place(name, read, write, _dotted(name))


def _object(name: str, value: Any) -> Iterator[Place]:
    if isinstance(getattr(value, "__dict__", None), dict):
        yield _attributes(name, value)
    yield from _slots(name, value)


def _slots(name: str, value: Any) -> Iterator[Place]:
    slots = {
        key: slot
        for kind in type(value).__mro__
        if "__slots__" in vars(kind)
        for key, slot in vars(kind).items()
        if isinstance(slot, MemberDescriptorType)
    }

    def read() -> Items:
        items = {}
        for key, slot in slots.items():
            try:
                items[key] = slot.__get__(value)
            except AttributeError:  # empty
                pass
        return items

    def write(items: Items) -> None:
        for key in read().keys() - items.keys():
            slots[key].__delete__(value)
        for key, item in items.items():
            slots[key].__set__(value, item)

    if slots:
        yield Place(name, read, write, _dotted(name))


def _of_class(name: str, kind: type) -> Place:
    def read() -> Items:
        return {k: v for k, v in vars(kind).items() if k[:2] != "__" or _is_function(v)}

    def write(items: Items) -> None:
        now = read()
        for key in now.keys() - items.keys():
            delattr(kind, key)
        for key, value in items.items():
            if now.get(key) is not value:
                setattr(kind, key, value)

    return Place(name, read, write, _dotted(name))


def _is_function(value: Any) -> bool:
    return isinstance(value, FunctionType | staticmethod | classmethod)


def _defaults(name: str, function: FunctionType) -> Place:
    code = function.__code__

    def read() -> Items:
        values = function.__defaults__ or ()
        first = code.co_argcount - len(values)
        named = dict(zip(code.co_varnames[first : code.co_argcount], values, strict=False))
        return {**named, **(function.__kwdefaults__ or {})}

    by_place, by_name = function.__defaults__, function.__kwdefaults__
    by_name = by_name and dict(by_name)

    def write(_: Items) -> None:
        function.__defaults__, function.__kwdefaults__ = by_place, by_name

    return Place(name, read, write, _dotted(name))


def _cells(name: str, function: FunctionType) -> Place:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def read() -> Items:
        items = {}
        for key, cell in cells.items():
            try:
                items[key] = cell.cell_contents
            except ValueError:  # empty
                pass
        return items

    def write(items: Items) -> None:
        for key in read().keys() - items.keys():
            del cells[key].cell_contents
        for key, item in items.items():
            cells[key].cell_contents = item

    return Place(name, read, write, _dotted(name))


def _container(name: str, content: Any) -> Place:
    # Through the methods of the built-in type: what is derived from it may refuse, or do more, such
    # as importing what it lists.
    kind: Any = next(each for each in _CONTAINERS if isinstance(content, each))

    def read() -> Items:
        if isinstance(content, dict):
            return dict(kind.items(content))
        if isinstance(content, set | frozenset):
            return {each: each for each in kind.__iter__(content)}
        return dict(enumerate(kind.__iter__(content)))

    def write(items: Items) -> None:
        if kind not in _CHANGING:
            return
        kind.clear(content)
        if isinstance(content, dict):
            for key, value in items.items():
                kind.__setitem__(content, key, value)
        elif kind is set:
            set.update(content, items)
        else:
            kind.extend(content, items.values())

    if isinstance(content, dict):
        return Place(name, read, write, lambda key: f"{name}[{_key(key)}]", is_ordered=True)
    return Place(name, read, write, lambda _: name)


def _key(key: Any) -> str:
    return repr(key) if isinstance(key, _PLAIN) else type(key).__name__


def _of_generator(generator: Any) -> Any:
    frame = generator.gi_frame
    return (frame.f_lasti, dict(frame.f_locals)) if frame else None


def _put_array(content: numpy.ndarray, was: Any) -> None:
    content[...] = was


def _put_in(content: Any, was: Any) -> None:
    content[:] = was


def _put_bits(generator: numpy.random.Generator, was: Any) -> None:
    generator.bit_generator.state = was


# Types whose objects are looked at as a whole: how their state is read, and how it is put back.
_STATES: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], None] | None]] = {
    numpy.ndarray: (numpy.ndarray.copy, _put_array),
    bytearray: (bytes, _put_in),
    array: (lambda content: content[:], _put_in),
    random.Random: (random.Random.getstate, random.Random.setstate),
    numpy.random.RandomState: (lambda g: g.get_state(), lambda g, was: g.set_state(was)),
    numpy.random.Generator: (lambda g: g.bit_generator.state, _put_bits),
    itertools.count: (repr, None),
    GeneratorType: (_of_generator, None),
}


def _state(name: str, value: Any) -> Iterator[Place]:
    if isinstance(value, numpy.ndarray) and value.nbytes > MAX_ARRAY_BYTES:
        return
    get, put = next(how for kind, how in _STATES.items() if isinstance(value, kind))

    def write(items: Items) -> None:
        assert put is not None
        put(value, items[None])

    yield Place(
        name, lambda: {None: get(value)}, write if put else None, lambda _: name, is_whole=True
    )
