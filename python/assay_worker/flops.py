"""What products and convolutions take, from the shapes of their tensors."""

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry, sdpa_flop_count

# Algorithms for these add up what the definition keeps apart.
_MIXING = ("mm", "bmm", "addmm", "baddbmm", "addmv", "mv", "dot", "vdot", "linear", "convolution")


def mixes(func: OpOverload) -> bool:
    """Whether it is a product, a convolution or an attention."""
    name = name_of(func)
    return name in _MIXING or "attention" in name or "conv" in name


# Other operations that multiply and sum up.
_UNCOUNTED = ("_trilinear", "_cdist_forward", "_pdist_forward", "mkldnn_rnn_layer", "lstm")


class Flops:
    """Sums up what torch's own counter has for operations.

    An addition and a multiplication are two. Of operations that work element by element nothing is
    counted, as is usual.
    """

    def __init__(self) -> None:
        self._count, self._known = 0, True

    @property
    def count(self) -> int | None:
        """None: there was a product of which nobody knows what it takes."""
        return self._count if self._known else None

    def forget(self) -> None:
        """Not all that is computed comes by here."""
        self._known = False

    def add(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        """An operation was called."""
        own = _OF_TENSORS.get(name_of(func))
        if func._overloadpacket in flop_registry:
            self._count += int(flop_registry[func._overloadpacket](*args, **kwargs, out_val=result))
        elif own:
            shapes = [x.shape for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
            self._count += own(*shapes)
        elif mixes(func) or name_of(func) in _UNCOUNTED:
            self._known = False


def name_of(func: OpOverload) -> str:
    """Without what it is of, and without the sign that it writes in place."""
    return str(func._schema.name).removeprefix("aten::").removesuffix("_")


def _of_vectors(*shapes: Any) -> int:
    """A product with a vector: each element of the other factor is used once."""
    return 2 * max(int(math.prod(shape)) for shape in shapes)


def _of_attention(query: Any, key: Any, value: Any, *_: Any) -> int:
    return int(sdpa_flop_count(query, key, value))


_OF_TENSORS: dict[str, Callable[..., int]] = {
    "mv": _of_vectors,
    "addmv": _of_vectors,
    "dot": _of_vectors,
    "vdot": _of_vectors,
    "_scaled_dot_product_flash_attention_for_cpu": _of_attention,
}
