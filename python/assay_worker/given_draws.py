"""Inputs of other distributions, made by the problem's own code: what it draws is given to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils.weak import WeakIdKeyDictionary

from assay_worker.other_draws import CONTINUOUS, OtherDraws
from assay_worker.protocol import Message

_UNIFORM = frozenset((torch.rand, torch.rand_like, Tensor.uniform_, torch.nn.init.uniform_))


class InteriorDraws(OtherDraws):
    """Draws have at their margins what they have under this seed, and inside that backwards."""

    def other(self, func: Callable[..., Any], drawn: Tensor) -> Tensor:
        """The same numbers, inside in another order."""
        # As src/verify/margins.h has them.
        margins = [min(size // 8, 64) if size >= 8 else 0 for size in drawn.shape]
        inside = tuple(
            slice(margin, size - margin) for margin, size in zip(margins, drawn.shape, strict=True)
        )
        changed = drawn.clone()
        changed[inside] = drawn[inside].flip(tuple(range(drawn.dim())))
        return changed


@dataclass(frozen=True)
class _Origin:
    """What a tensor was computed from."""

    draws: frozenset[int] = frozenset()
    # How many numbers that may be: draws, and tensors that have fewer elements than these, by the
    # size of each. What became a mask or an index is none of it.
    numbers: frozenset[tuple[int, int]] = frozenset()

    def __or__(self, other: "_Origin") -> "_Origin":
        return _Origin(self.draws | other.draws, self.numbers | other.numbers)


class GivenDraws(OtherDraws):
    """Draws are `numbers`, where `chosen`, one after the other and again from the first.

    Both have one dimension. Uniform draws that cannot be negative are not. With `within` all are
    squeezed into the range that was drawn: some code can take nothing else.
    """

    def __init__(self, numbers: Tensor, chosen: Tensor, within: bool) -> None:
        super().__init__()
        self._numbers, self._chosen, self._within = numbers, chosen, within
        self._next = 0  # of the numbers
        self._sizes: list[int] = []  # of the draws so far, and of what has fewer elements
        self._origins: Any = WeakIdKeyDictionary()

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        given = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        versions = [x._version for x in given]
        result = super().__torch_function__(func, types, args, kwargs)
        origin = _Origin()
        for each in given:
            origin |= self._of(each)
        if func in CONTINUOUS and isinstance(result, Tensor):
            size = self._sized(result.numel())
            origin |= _Origin(frozenset((size[0],)), frozenset((size,)))
        written = [x for x, n in zip(given, versions, strict=True) if x._version != n]
        for each in (*written, *pytree.tree_leaves(result)):
            if isinstance(each, Tensor) and origin.draws:
                self._origins[each] = self._of(each) | self._through(origin, each)
        return result

    def _of(self, tensor: Tensor) -> _Origin:
        found: _Origin = self._origins.get(tensor, _Origin())
        return found

    def _sized(self, elements: int) -> tuple[int, int]:
        self._sizes.append(elements)
        return len(self._sizes) - 1, elements

    def _through(self, origin: _Origin, tensor: Tensor) -> _Origin:
        """What of it is left in a tensor."""
        if not tensor.is_floating_point():
            return _Origin(origin.draws)
        if sum(size for _, size in origin.numbers) > tensor.numel():
            return _Origin(origin.draws, frozenset((self._sized(tensor.numel()),)))
        return origin

    def other(self, func: Callable[..., Any], drawn: Tensor) -> Tensor:
        """The next numbers."""
        flat = drawn.flatten()
        if not len(flat):
            return drawn
        lowest, highest = flat.min(), flat.max()
        done, total = 0, len(self._numbers)
        while done < len(flat):
            count = min(len(flat) - done, total - self._next)
            place, now = slice(done, done + count), slice(self._next, self._next + count)
            numbers = self._numbers[now].to(flat.dtype)
            if self._within:
                numbers = _squeezed(numbers, lowest, highest)
            elif func in _UNIFORM and lowest >= 0:
                numbers = numbers.abs()
            flat[place] = torch.where(self._chosen[now], numbers, flat[place])
            done, self._next = done + count, (self._next + count) % total
        return flat.view(drawn.shape)

    def told(self, leaves: Sequence[Any]) -> list[Message | None]:
        """Of each leaf: {"group", "numbers"}, or None where it comes from no draw.

        Leaves of one group, called by the first of them, share draws. All of their elements come
        from so many numbers.
        """
        groups: list[tuple[set[int], _Origin]] = []
        for n, leaf in enumerate(leaves):
            places, origin = {n}, self._of(leaf) if isinstance(leaf, Tensor) else _Origin()
            if not origin.draws:
                continue
            for group in [each for each in groups if each[1].draws & origin.draws]:
                groups.remove(group)
                places |= group[0]
                origin |= group[1]
            groups.append((places, origin))
        answers: list[Message | None] = [None] * len(leaves)
        for places, origin in groups:
            drawn = sum(self._sizes[draw] for draw in origin.draws)
            numbers = min(drawn, sum(size for _, size in origin.numbers))
            for n in places:
                answers[n] = {"group": min(places), "numbers": numbers}
        return answers


def _squeezed(numbers: Tensor, lowest: Tensor, highest: Tensor) -> Tensor:
    """In the same order, within what was drawn; NaN stays."""
    part = torch.where(numbers.isinf(), numbers.sign(), numbers / (1 + numbers.abs()))
    if lowest >= 0:
        return lowest + (highest - lowest) * part.abs()
    return part * torch.maximum(-lowest, highest)
