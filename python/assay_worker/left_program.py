"""What compiling a model leaves for the next process that calls the same model.

A verification starts several processes, each with weights of its own. They are arguments of what
XLA compiles, so the first process writes its program to a file in memory, and the others find it
there. That it is theirs, too, is a guess: a model may have built other numbers into its code. So
whatever such a verification complains of is not said before all was done again without the file
(src/verify/verify.cc). All these processes run the same problem's code, in the same jail: none is
told anything that it could not tell itself, so that pickles do.
"""

import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

_DIGEST_BYTES = 32
# What is written may have a problem's constants in it. Larger ones are not worth the copying.
_MOST_BYTES = 1 << 26


class LeftProgram:
    """A file in memory, that the processes of one verification share one after the other."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, mark: str) -> Any:
        """What was left by a process with the same mark; None: nothing, or not the whole of it."""
        content = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        digest, content = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            return None
        of, left = pickle.loads(content)
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
        with suppress(OSError):  # there is no memory: a part of it is none
            while at < len(content):
                at += os.pwrite(self._descriptor, content[at:], at)


def mark_of(model: torch.nn.Module, arguments: Sequence[Any]) -> str:
    """The same for models that are called alike: shapes and types of what they hold and are given,
    and values of what is no tensor.
    """
    state = [*model.named_parameters(), *model.named_buffers()]
    leaves, tree = pytree.tree_flatten(list(arguments))
    given = [_kind(leaf) if isinstance(leaf, Tensor) else repr(leaf) for leaf in leaves]
    words = [*(f"{name} {_kind(tensor)}" for name, tensor in state), str(tree), *given]
    return "\n".join(words)


def _kind(tensor: Tensor) -> str:
    return f"{tensor.dtype} {tuple(tensor.shape)}"
