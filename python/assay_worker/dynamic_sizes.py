"""Which sizes a compiled program does not know, as a file says it: `get_dynamic_sizes()`.

One entry per input, nested ones counted: a list of the dimensions that may have another size in
another call. Eager torch is not concerned; the exporter keeps these sizes open.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.export import Dim
from torch.utils import _pytree as pytree

from assay_worker.failure import Explained

NAME = "get_dynamic_sizes"


# As torch names a size that cannot be open: L['x'].size()[0].
_PLACE = re.compile(r"L\['(\w+)'\]\.size\(\)\[(\d+)\]")


class BadSizes(Explained):
    """The file says of an input what cannot be."""


@contextmanager
def explained(is_open: bool) -> Iterator[None]:
    """Says which size a trace has built in, in the words of the file."""
    if not is_open:
        yield
        return
    # Only here: it imports Triton, which must not be there before a candidate in Triton.
    from torch._dynamo.exc import UserError

    try:
        yield
    except UserError as error:
        places = dict.fromkeys(_PLACE.findall(str(error)))
        if not places:
            raise
        which = ", ".join(f"dimension {dimension} of `{name}`" for name, dimension in places)
        raise BadSizes(
            f"`forward` computes with one size alone of {which}, which `{NAME}()` leaves open"
        ) from error


def as_torch_has_it(entries: Any, inputs: Sequence[Any]) -> Any:
    """What `torch.export` takes for `dynamic_shapes`. Raises BadSizes.

    A size of 0 or 1 is left to torch, which always builds it in: it broadcasts.
    """
    leaves, structure = pytree.tree_flatten(tuple(inputs))
    if not isinstance(entries, list | tuple) or len(entries) != len(leaves):
        given = f"{len(entries)} entries" if isinstance(entries, list | tuple) else f"{entries!r}"
        raise BadSizes(
            f"`{NAME}()` gave {given} for {len(leaves)} inputs: return a list with one entry per "
            "input, nested ones counted, each a list of dimensions: [[0], []]"
        )
    each = [_of_one(n, *pair) for n, pair in enumerate(zip(entries, leaves, strict=True))]
    return pytree.tree_unflatten(each, structure)


def _of_one(n: int, entry: Any, leaf: Any) -> dict[int, Any] | None:
    rank = leaf.dim() if isinstance(leaf, torch.Tensor) else 0
    good = isinstance(entry, list | tuple) and all(
        type(dimension) is int and 0 <= dimension < rank for dimension in entry
    )
    if not good:
        raise BadSizes(
            f"`{NAME}()[{n}]` is {entry!r}: give a list of dimensions from 0 to below {rank}"
            if rank
            else f"`{NAME}()[{n}]` is {entry!r}: that input has no dimensions, give []"
        )
    if not isinstance(leaf, torch.Tensor):
        return None
    return {
        dimension: Dim.DYNAMIC if leaf.shape[dimension] > 1 else Dim.AUTO for dimension in entry
    }


def size_now(size: Any) -> Any:
    """What a size of a traced tensor is with the inputs at hand; itself, where nothing says it."""
    if isinstance(size, torch.SymInt) and size.node.has_hint():
        return int(size.node.hint)
    return size
