"""What algorithms for products and convolutions may do with NaN and infinity.

A product of matrices multiplies a row by a column: where one of them has an infinity, parts of it
may be NaN in the place of infinite. So NaN may stand for infinity in that row or column. A
convolution by transforms, or in tiles, mixes the numbers of an image besides: what is finite beside
may be NaN, too. And where all that an index is picked from is NaN or infinite, it may as well be
NaN. What a problem does with such results is its own, and followed to the end: a guard behind a
product has to hold.
"""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.nn.attention import SDPBackend, sdpa_kernel

from assay_worker.flops import name_of
from assay_worker.open_order import picking_of

# Where an operation has its two factors.
_PRODUCTS = {
    "mm": (0, 1),
    "bmm": (0, 1),
    "mv": (0, 1),
    "dot": (0, 1),
    "vdot": (0, 1),
    "addmm": (1, 2),
    "baddbmm": (1, 2),
    "addmv": (1, 2),
}


class Spreading:
    """Watches a run, and puts NaN where an algorithm may have it.

    "kinds": where a product's or a convolution's factors are not finite, or beside, whatever the
    result is there. "places": in what is finite beside the rest of a convolution, and nowhere else.
    "picks": before topk, argmax and their like, in rows without a finite number, and nowhere else.
    While in force, attention is computed by the products that it is defined by.
    """

    def __init__(self, how: str) -> None:
        self._how = how
        self._fast = True
        self._by_products = sdpa_kernel([SDPBackend.MATH])

    def __enter__(self) -> None:
        self._fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)
        self._by_products.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._by_products.__exit__(kind, error, trace)
        torch.backends.mha.set_fastpath_enabled(self._fast)

    def before(self, func: OpOverload, args: Any, kwargs: Any) -> Any:
        """The arguments for an operation."""
        picking = picking_of(func, args, kwargs) if self._how == "picks" else None
        key = args[0] if picking else None
        if picking is None or key is None or not key.is_floating_point():
            return args
        odd = ~torch.isfinite(key)
        is_flat = picking.key.shape != key.shape
        nothing = odd.all() if is_flat else odd.all(picking.dim, keepdim=True)
        return (key.masked_fill(nothing, torch.nan), *args[1:])

    def watch(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        """Sees an operation after it ran, and changes its result."""
        if self._how == "picks":
            return
        if not isinstance(result, Tensor) or not result.is_floating_point():
            return
        name = name_of(func)
        kinds = self._how == "kinds"
        if name in _PRODUCTS and kinds:
            factors = _given(func, args, kwargs, _PRODUCTS[name])
            _put_nan(result, _depends(torch.matmul, factors))
        elif name == "linear" and kinds:
            x, weight = _given(func, args, kwargs, (0, 1))
            _put_nan(result, _depends(torch.matmul, (x, weight.t())))
        elif name == "convolution":
            self._spread_in_image(func, args, kwargs, result)

    def _spread_in_image(self, func: OpOverload, args: Any, kwargs: Any, result: Tensor) -> None:
        factors = _given(func, args, kwargs, (0, 1))

        def without_bias(x: Tensor, weight: Tensor) -> Tensor:
            return func(x, weight, None, *args[3:], **kwargs)

        x, weight = factors
        # All of an image with such a number, and all of a channel whose weights have one.
        image = (~torch.isfinite(x)).flatten(1).any(1).view(-1, 1)
        of_weights = without_bias(torch.ones_like(x), _is_odd(weight)) > 0
        channel = of_weights.transpose(0, 1).flatten(1).any(1)
        spread = (image | channel).view(*result.shape[:2], *[1] * (result.dim() - 2))
        spread = spread.expand_as(result)
        if self._how == "places":
            spread = spread & torch.isfinite(result)
        _put_nan(result, spread)


def _given(func: OpOverload, args: Any, kwargs: Any, which: Sequence[int]) -> list[Tensor]:
    names = [argument.name for argument in func._schema.arguments]
    return [args[n] if n < len(args) else kwargs[names[n]] for n in which]


def _is_odd(tensor: Tensor) -> Tensor:
    """1 where it is NaN or infinite, else 0."""
    return (~torch.isfinite(tensor)).to(tensor)


def _depends(product: Callable[[Tensor, Tensor], Tensor], factors: Sequence[Tensor]) -> Tensor:
    """Where a product has to do with a number that is not finite."""
    a, b = factors
    odd_a, odd_b = _is_odd(a), _is_odd(b)
    count: Tensor = product(odd_a, torch.ones_like(b)) + product(torch.ones_like(a), odd_b)
    return count > 0


def _put_nan(result: Tensor, where: Tensor) -> None:
    result.masked_fill_(where, torch.nan)
