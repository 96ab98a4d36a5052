"""What compiling a model leaves for the next process that calls the same model.

A verification starts several processes, each with weights of its own. They are arguments of what
XLA compiles, so the first process writes its program to a file in memory, and the others find it
there. Whoever does not find what it needs compiles. All these processes run the same problem's
code, in the same jail: none is told anything that it could not tell itself, so that pickles do.
"""

import hashlib
import os
import pickle
from collections.abc import Iterable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

_DIGEST_BYTES = 32
# What is written may have a problem's constants in it. Larger ones are not worth the copying.
_MOST_BYTES = 1 << 28


class LeftProgram:
    """A file in memory, that the processes of one verification share one after the other."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, mark: str) -> Any:
        """What was left by a process with the same mark; None: nothing, or not the whole of it."""
        size = os.fstat(self._descriptor).st_size
        content = os.pread(self._descriptor, size, 0)
        digest, content = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            return None
        try:
            of, left = pickle.loads(content)
        except Exception:  # a class that this process has not: it compiles
            return None
        return left if of == mark else None

    def write(self, mark: str, left: Any) -> None:
        """Replaces what is there. Of what can't be written, or is very large, nothing is left."""
        os.ftruncate(self._descriptor, 0)
        try:
            content = pickle.dumps((mark, left))
        except Exception:  # classes of the problem's own file have no name that others know
            return
        if len(content) > _MOST_BYTES:
            return
        content = hashlib.sha256(content).digest() + content
        at = 0
        while at < len(content):
            at += os.pwrite(self._descriptor, content[at:], at)


def mark_of(model: torch.nn.Module, arguments: Sequence[Any]) -> str:
    """The same for two models of which one program does: all that an exporter may take for a
    constant of the code, and of the weights and the inputs shapes and types alone.
    """
    state = [*model.named_parameters(), *model.named_buffers()]
    digest = hashlib.sha256()
    seen: _Seen = {}
    for name, tensor in state:
        seen[id(tensor)] = (len(seen), tensor)
        digest.update(f"{name} {_kind(tensor)}\n".encode())
    for word in _words(pytree.tree_map_only(Tensor, _kind, list(arguments)), seen):
        digest.update(word)
    forward = type(model).forward
    globals_ = forward.__globals__ if isinstance(forward, FunctionType) else {}
    for word in _words([model, {k: v for k, v in globals_.items() if k[:2] != "__"}], seen):
        digest.update(word)
    return digest.hexdigest()


def _kind(tensor: Tensor) -> str:
    return f"{tensor.dtype} {tuple(tensor.shape)}"


# Objects by their addresses, with numbers. They are held, so that no other gets the same address.
_Seen = dict[int, tuple[int, Any]]


def _words(value: Any, seen: _Seen) -> Iterable[bytes]:
    """What tells values apart, in an order that is always the same."""
    plain = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)
    if isinstance(value, plain):
        yield f"{type(value).__name__} {value!r}\n".encode()
    elif isinstance(value, (ModuleType, type, FunctionType, BuiltinFunctionType)):
        yield f"{getattr(value, '__qualname__', value.__name__)}\n".encode()
    elif id(value) in seen:
        yield f"again {seen[id(value)][0]}\n".encode()
    else:
        seen[id(value)] = (len(seen), value)
        yield f"{type(value).__qualname__}\n".encode()
        if isinstance(value, Tensor):  # neither a parameter nor a buffer: it may be a constant
            yield _kind(value).encode()
            if value.device.type == "cpu" and value.layout == torch.strided:
                flat = value.detach().contiguous().reshape(-1).view(torch.uint8)
                yield bytes(flat.numpy())
        elif isinstance(value, dict):
            for key, each in value.items():
                yield from _words(key, seen)
                yield from _words(each, seen)
        elif isinstance(value, (list, tuple)):
            for each in value:
                yield from _words(each, seen)
        elif isinstance(value, (set, frozenset)):
            yield from sorted(b"".join(_words(each, seen)) for each in value)
        elif isinstance(value, MethodType):
            yield from _words([value.__func__, value.__self__], seen)
        elif hasattr(value, "tobytes"):  # an array of NumPy's
            yield str(value.dtype).encode() + str(value.shape).encode() + value.tobytes()
        else:
            yield from _words(getattr(value, "__dict__", None), seen)
