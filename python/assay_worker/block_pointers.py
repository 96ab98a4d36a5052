"""Block pointers, which Triton had until 3.8: published kernels use them.

What is loaded and stored goes by pointers and masks, as Triton's own passes had it. For the
interpreter they are plain objects; what is compiled has them in variables of loops and branches.
"""

import inspect
import operator
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
            places = places.__add__(self.offsets[at], _semantic=semantic)
            for other in range(len(self.block_shape)):
                if other != at:
                    places = core.expand_dims(places, other, _semantic=semantic)
            steps = places.__mul__(self.strides[at], _semantic=semantic)
            pointers = pointers.__add__(steps, _semantic=semantic)
            if at in checked:
                inside = places.__ge__(0, _semantic=semantic).__and__(
                    places.__lt__(self.shape[at], _semantic=semantic), _semantic=semantic
                )
                mask = inside if mask is None else mask.__and__(inside, _semantic=semantic)
        if mask is not None:
            mask = core.broadcast_to(mask, self.block_shape, _semantic=semantic)
        return core.broadcast_to(pointers, self.block_shape, _semantic=semantic), mask


@dataclass(frozen=True)
class _CompiledType(core.base_type):  # type: ignore[misc]
    base: Any  # of the pointer
    dimensions: int
    block_shape: tuple[int, ...]

    @property
    def element_ty(self) -> Any:
        return self.base.element_ty

    def mangle(self) -> str:
        return f"B{'x'.join(map(str, self.block_shape))}_{self.base.mangle()}"

    def _flatten_ir_types(self, builder: Any, out: list[Any]) -> None:
        for each in (self.base, *[tl.int64] * (3 * self.dimensions)):
            each._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles: list[Any], cursor: int) -> tuple[Any, int]:
        base, cursor = self.base._unflatten_ir(handles, cursor)
        numbers = []
        for _ in range(3 * self.dimensions):
            number, cursor = tl.int64._unflatten_ir(handles, cursor)
            numbers.append(number)
        shape, strides, offsets = (tuple(numbers[at::3]) for at in range(3))
        made = CompiledBlockPointer(base, shape, strides, offsets, self.block_shape)
        return made, cursor


class CompiledBlockPointer(BlockPointer, core.base_value):  # type: ignore[misc]
    """All its numbers are of one type, whatever becomes of them in a loop."""

    @property
    def type(self) -> Any:
        return _CompiledType(self.base.type, len(self.block_shape), self.block_shape)

    def _set_name(self, builder: Any, name: str) -> None:
        pass

    def _flatten_ir(self, handles: list[Any]) -> None:
        self.base._flatten_ir(handles)
        for numbers in zip(self.shape, self.strides, self.offsets, strict=True):
            for each in numbers:
                each._flatten_ir(handles)


def _plain(values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple | tl.tuple):
        values = (values,)
    return tuple(each.value if isinstance(each, tl.constexpr) else each for each in values)


def _checked(values: Any) -> tuple[int, ...]:
    return tuple(int(each) for each in _plain(values)) if values is not None else ()


def install(*, compiles: bool = False) -> None:
    """From here on the language has them again: for the interpreter, or for what is compiled."""
    if _has_them():
        return
    plain_load, plain_store = core.load, core.store
    builtin: Callable[[Any], Any] = core.builtin
    kind = CompiledBlockPointer if compiles else BlockPointer

    def whole(values: Any, semantic: Any) -> tuple[Any, ...]:
        if not compiles:
            return _plain(values)
        return tuple(semantic.cast(semantic.to_tensor(each), tl.int64) for each in _plain(values))

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
        numbers = [whole(each, _semantic) for each in (shape, strides, offsets)]
        return kind(base, numbers[0], numbers[1], numbers[2], sizes)

    @builtin
    def advance(base: BlockPointer, offsets: Any, _semantic: Any = None) -> BlockPointer:
        by = whole(offsets, _semantic)
        if compiles:
            moved = map(_semantic.add, base.offsets, by, [True] * len(by))
        else:
            moved = map(operator.add, base.offsets, by)
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
            padding = getattr(padding_option, "value", padding_option)
            pointer, mask = pointer.addresses(_checked(boundary_check), _semantic)
            other = None if mask is None else float("nan") if padding == "nan" else 0
        how = {"cache_modifier": cache_modifier, "eviction_policy": eviction_policy}
        return plain_load(pointer, mask, other, volatile=volatile, **how, _semantic=_semantic)

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
        how = {"cache_modifier": cache_modifier, "eviction_policy": eviction_policy}
        return plain_store(pointer, value, mask, **how, _semantic=_semantic)

    for module in (tl, core):
        module.make_block_ptr, module.advance = make_block_ptr, advance
        module.load, module.store = load, store


def _has_them() -> bool:
    return "boundary_check" in inspect.signature(core.load).parameters
