"""Block pointers, which Triton had until 3.8: published kernels use them, and its interpreter not.

Only for the interpreter, as plain objects: what is loaded and stored goes by pointers and masks.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import triton.language as tl
from triton.language import core


@dataclass(frozen=True)
class BlockPointer:
    base: Any
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    offsets: tuple[Any, ...]
    block_shape: tuple[int, ...]

    @property
    def dtype(self) -> Any:
        """Of the pointer, as it was: kernels cast to its element_ty before they store."""
        return self.base.dtype

    @property
    def type(self) -> Any:
        return self.base.type

    def addresses(self, checked: Any, semantic: Any) -> tuple[Any, Any]:
        """Pointers of all its elements, and a mask of those inside, where that is asked for."""
        pointers, mask = self.base, None
        for at, size in enumerate(self.block_shape):
            places = core.arange(0, size, _semantic=semantic).to(tl.int64, _semantic=semantic)
            places = places + self.offsets[at]
            for other in range(len(self.block_shape)):
                if other != at:
                    places = core.expand_dims(places, other, _semantic=semantic)
            pointers = pointers + places * self.strides[at]
            if at in checked:
                inside = (places >= 0) & (places < self.shape[at])
                mask = inside if mask is None else mask & inside
        if mask is not None:
            mask = core.broadcast_to(mask, self.block_shape, _semantic=semantic)
        return core.broadcast_to(pointers, self.block_shape, _semantic=semantic), mask


def _plain(values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple | tl.tuple):
        values = (values,)
    return tuple(each.value if isinstance(each, tl.constexpr) else each for each in values)


def _checked(values: Any) -> tuple[int, ...]:
    return tuple(int(each) for each in _plain(values)) if values is not None else ()


def install() -> None:
    """From here on the language has them again."""
    if _has_them():
        return
    plain_load, plain_store = core.load, core.store
    builtin: Callable[[Any], Any] = core.builtin

    @builtin
    def make_block_ptr(
        base: Any,
        shape: Any,
        strides: Any,
        offsets: Any,
        block_shape: Any,
        order: Any,
        _semantic: Any = None,
    ) -> BlockPointer:
        sizes = tuple(int(each) for each in _plain(block_shape))
        return BlockPointer(base, _plain(shape), _plain(strides), _plain(offsets), sizes)

    @builtin
    def advance(base: BlockPointer, offsets: Any, _semantic: Any = None) -> BlockPointer:
        moved = (old + by for old, by in zip(base.offsets, _plain(offsets), strict=True))
        return replace(base, offsets=tuple(moved))

    @builtin
    def load(
        pointer: Any,
        mask: Any = None,
        other: Any = None,
        boundary_check: Any = (),
        padding_option: Any = "",
        cache_modifier: str = "",
        eviction_policy: str = "",
        volatile: bool = False,
        _semantic: Any = None,
    ) -> Any:
        if isinstance(pointer, BlockPointer):
            padding = padding_option
            pointer, mask = pointer.addresses(_checked(boundary_check), _semantic)
            other = None if mask is None else float("nan") if padding == "nan" else 0
        return plain_load(pointer, mask, other, _semantic=_semantic)

    @builtin
    def store(
        pointer: Any,
        value: Any,
        mask: Any = None,
        boundary_check: Any = (),
        cache_modifier: str = "",
        eviction_policy: str = "",
        _semantic: Any = None,
    ) -> Any:
        if isinstance(pointer, BlockPointer):
            pointer, mask = pointer.addresses(_checked(boundary_check), _semantic)
        return plain_store(pointer, value, mask, _semantic=_semantic)

    for module in (tl, core):
        module.make_block_ptr, module.advance = make_block_ptr, advance
        module.load, module.store = load, store


def _has_them() -> bool:
    return "boundary_check" in inspect.signature(core.load).parameters
