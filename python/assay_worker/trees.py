"""Arguments in containers, as JSON: what goes to a process that never sees the problem's file.

    {"leaf": n}   {"list": [T...]}   {"tuple": [T...]}   {"dict": [[key, T]...]}

Leaves of `forward`'s arguments are counted in the order of torch's pytree. Those of the
constructor's stand in place: {"value": 3 | 2.5 | "s" | true | null}, {"float": "inf"},
{"dtype": "f32"}, {"size": [2, 3]}, {"device": "cpu"}, {"slice": [T, T, T]}, {"tensor": n} for the
n-th tensor among them, and {"name": "torch.nn.modules.activation.ReLU"} for what torch defines.
"""

import importlib
import math
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from assay_worker.failure import Unsupported
from assay_worker.protocol import Message
from assay_worker.signature import DTYPE_WORDS
from assay_worker.tensors import DTYPES_BY_WORD

_DICTS = (dict, OrderedDict, defaultdict)
_MAX_INTEGER = 1 << 63

Encode = Callable[[Any], Message]
Decode = Callable[[Message], Any]


def encode_arguments(arguments: Sequence[Any]) -> Message:
    """The tree of forward's arguments. Raises Unsupported for a container of another kind."""
    places = iter(range(1 << 30))
    return _encode(list(arguments), lambda value: {"leaf": next(places)})


def decode_arguments(tree: Message, leaves: Sequence[Any]) -> list[Any]:
    """The arguments that `encode_arguments` was given, with other leaves."""
    arguments: list[Any] = _decode(tree, lambda leaf: leaves[leaf["leaf"]])
    return arguments


def in_order(tree: Message, value: Any) -> list[Any]:
    """The leaves of a result in the order of the problem's, whose tree is `tree`.

    A dict has the order in which its keys were set, which is no part of what it says.
    """
    if type(value) is torch.Tensor:  # most often; and all of this is timed
        return [value]
    pairs: list[tuple[Message, Any]] | None = None
    if isinstance(value, dict):
        below: dict[Any, Message] = {key: each for key, each in tree.get("dict", ())}
        if below.keys() == value.keys():
            pairs = [(each, value[key]) for key, each in below.items()]
    elif isinstance(value, list | tuple):
        subtrees: list[Message] = tree.get("list") or tree.get("tuple") or []
        if len(subtrees) == len(value):
            pairs = list(zip(subtrees, value, strict=True))
    if pairs is None:
        leaves: list[Any] = tree_leaves(value)
        return leaves
    return [leaf for subtree, each in pairs for leaf in in_order(subtree, each)]


def encode_values(arguments: Sequence[Any]) -> tuple[Message, list[torch.Tensor]]:
    """The tree of the constructor's arguments, and the tensors in it.

    Raises Unsupported for a value that has no words here.
    """
    tensors: list[torch.Tensor] = []

    def leaf(value: Any) -> Message:
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            return {"tensor": len(tensors) - 1}
        return _encode_value(value)

    return _encode(list(arguments), leaf), tensors


def decode_values(tree: Message, tensors: Sequence[torch.Tensor]) -> list[Any]:
    """The arguments that `encode_values` was given."""

    def leaf(encoded: Message) -> Any:
        return tensors[encoded["tensor"]] if "tensor" in encoded else _decode_value(encoded)

    arguments: list[Any] = _decode(tree, leaf)
    return arguments


def encode_scalar(value: Any) -> Message:
    """A leaf of forward's that is no tensor: {"scalar": ...} or {"float": "inf"}.

    Raises Unsupported for other than numbers, bool, text and None.
    """
    plain = _plain(value)
    if plain is None:
        raise Unsupported(f"an argument or a result is {type(value).__name__}: {_TAKEN}")
    return plain if "float" in plain else {"scalar": plain["value"]}


_TAKEN = "tensors, numbers, bool, text and None are taken, in lists, tuples and dicts"


def _encode(value: Any, leaf: Encode) -> Message:
    if type(value) in (list, tuple):
        word = "list" if type(value) is list else "tuple"
        return {word: [_encode(each, leaf) for each in value]}
    if type(value) in _DICTS:
        for key in value:
            if type(key) not in (str, int, bool):
                raise Unsupported(f"a dict has a key that is {type(key).__name__}: use text")
        return {"dict": [[key, _encode(each, leaf)] for key, each in value.items()]}
    if isinstance(value, list | tuple | dict | set | frozenset) and type(value) is not torch.Size:
        raise Unsupported(f"an argument is {type(value).__name__}: {_TAKEN}")
    return leaf(value)


def _decode(tree: Message, leaf: Decode) -> Any:
    if "list" in tree:
        return [_decode(each, leaf) for each in tree["list"]]
    if "tuple" in tree:
        return tuple(_decode(each, leaf) for each in tree["tuple"])
    if "dict" in tree:
        return {key: _decode(each, leaf) for key, each in tree["dict"]}
    return leaf(tree)


def _plain(value: Any) -> Message | None:
    if type(value) is float and not math.isfinite(value):
        return {"float": repr(value)}
    if type(value) is int and not -_MAX_INTEGER <= value < _MAX_INTEGER:
        raise Unsupported(f"the number {value} has more than 64 bits")
    if value is None or type(value) in (int, float, bool, str):
        return {"value": value}
    return None


def _encode_value(value: Any) -> Message:
    plain = _plain(value)
    if plain is not None:
        return plain
    if isinstance(value, torch.dtype) and value in DTYPE_WORDS:
        return {"dtype": DTYPE_WORDS[value]}
    if isinstance(value, torch.device):
        return {"device": "cpu"}  # where everything is made here
    if type(value) is torch.Size:
        return {"size": list(value)}
    if type(value) is slice:
        return {"slice": [_encode_value(each) for each in (value.start, value.stop, value.step)]}
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    if name.startswith("torch.") and _named(name) is value:
        return {"name": name}
    raise Unsupported(f"an argument of the model's constructor is {type(value).__name__}: {_TAKEN}")


def _decode_value(encoded: Message) -> Any:
    if "value" in encoded:
        return encoded["value"]
    if "float" in encoded:
        return float(encoded["float"])
    if "dtype" in encoded:
        return DTYPES_BY_WORD[encoded["dtype"]]
    if "device" in encoded:
        return torch.device(encoded["device"])
    if "size" in encoded:
        return torch.Size(encoded["size"])
    if "slice" in encoded:
        return slice(*(_decode_value(each) for each in encoded["slice"]))
    return _named(encoded["name"])


def _named(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return None
