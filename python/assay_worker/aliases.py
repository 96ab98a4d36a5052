"""Tensors that share memory: a program has them apart, so none of them may be changed in place."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from assay_worker.failure import Unsupported

MAX_GROUPS = 3

# What torch says where it would have to make a program for tensors that share memory.
_TORCH_SAYS = ("expected compiled_fn to be GraphModule", "Aliased inputs share storage")


@contextmanager
def explained(
    model: nn.Module, inputs: Sequence[Any], constants: Mapping[str, Any]
) -> Iterator[None]:
    """Makes Unsupported of torch's failure to tell apart what shares memory.

    `constants` are those of the program.
    """
    try:
        yield
    except AssertionError as error:
        groups = list(_sharing(model, inputs, constants))
        if not groups or not any(words in str(error) for words in _TORCH_SAYS):
            raise
        known = "; ".join(" and ".join(names) for names in groups[:MAX_GROUPS])
        raise Unsupported(
            f"`forward` changes a tensor that shares memory with another ({known}): in a program "
            "each is a tensor of its own; make one of them a copy, with clone()"
        ) from error


def require_unshared(repeated: Sequence[int], mutated: Sequence[int]) -> None:
    """Raises Unsupported where an argument that is passed more than once is changed in place.

    Both are places among the flattened arguments.
    """
    for n in mutated:
        if n in repeated:
            raise Unsupported(
                f"`forward` changes input {n}, which `get_inputs()` gives more than once: in a "
                "program each argument is a tensor of its own; make one of them a copy, with "
                "clone()"
            )


def repeated_inputs(inputs: Sequence[Any]) -> list[int]:
    """Places, among the flattened arguments, of tensors that are passed more than once."""
    leaves = pytree.tree_leaves(list(inputs))
    ids = [id(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    return [n for n, leaf in enumerate(leaves) if ids.count(id(leaf)) > 1]


def memory_of(tensor: Tensor) -> Any:
    """What a tensor has its numbers in: its storage, or itself where it has none, as if sparse."""
    return tensor.untyped_storage() if tensor.layout is torch.strided else tensor


def key_of(memory: Any) -> int:
    """The same for the same memory, as long as one of its holders lives."""
    return int(memory._cdata) if isinstance(memory, torch.UntypedStorage) else id(memory)


def _sharing(
    model: nn.Module, inputs: Sequence[Any], constants: Mapping[str, Any]
) -> Iterator[list[str]]:
    """The names of tensors that share memory, group by group."""
    held = {
        **{f"`{name}`": tensor for name, tensor in model.named_parameters(remove_duplicate=False)},
        **{f"`{name}`": tensor for name, tensor in model.named_buffers(remove_duplicate=False)},
        **{f"input {n}": leaf for n, leaf in enumerate(pytree.tree_leaves(list(inputs)))},
        **{f"`{name}`": constant for name, constant in constants.items()},
    }
    groups: dict[int, list[str]] = {}
    for name, tensor in held.items():
        if isinstance(tensor, Tensor):
            groups.setdefault(key_of(memory_of(tensor)), []).append(name)
    yield from (names for names in groups.values() if len(names) > 1)
