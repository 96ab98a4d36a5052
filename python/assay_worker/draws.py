"""How inputs are drawn: which call of torch's gives each of them, with nothing else done to it.

What is written down can be drawn again by somebody else, with other random numbers. It has to be
certain, not likely: an input of which anything else was computed, or read, counts as unknown, since
another input may depend on its values.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from assay_worker.aliases import key_of, memory_of
from assay_worker.protocol import Message
from assay_worker.signature import DTYPE_WORDS

UNKNOWN: Message = {"draw": None}


@dataclass
class _Source:
    """One call that drew."""

    spoiled: bool = False  # something else was done with what it gave


@dataclass(frozen=True)
class _Drawn:
    """A tensor that is `word(**arguments) * scale + shift`, in its own type, perhaps cast then."""

    tensor: Tensor  # kept, so that no other gets its id
    version: int  # of the tensor: another one means that it was written into
    source: _Source
    word: str  # "empty": nothing is drawn yet
    arguments: Message
    dtype: torch.dtype  # of the draw
    scale: float = 1.0
    shift: float = 0.0
    has_scale: bool = False
    has_shift: bool = False
    is_cast: bool = False

    def told(self) -> Message:
        message = {"draw": self.word, "dtype": DTYPE_WORDS[self.dtype], **self.arguments}
        if self.has_scale:
            message["scale"] = self.scale
        if self.has_shift:
            message["shift"] = self.shift
        return message


def drawn(recorder: "Recorder", leaves: Sequence[Any]) -> list[Message]:
    """Of each leaf: {"draw": word, "dtype", its arguments, "scale"?, "shift"?} or {"draw": None}.

        "rand"      uniform: "low", "high"          "zeros", "ones"
        "randn"     normal: "mean", "std"           "full"      "value"
        "randint"   "low" to below "high"           "arange"    "low", "high", "step"
        "randperm"  "high"

    The value is the draw * scale + shift, in the draw's type, then cast to the leaf's.
    """
    found = [recorder.of(leaf) for leaf in leaves]
    sources = [source for leaf in leaves if (source := recorder.source(leaf))]
    memories = [key_of(memory_of(leaf)) for leaf in leaves if isinstance(leaf, Tensor)]
    return [
        each.told()
        if each is not None
        and not each.source.spoiled
        and each.word != "empty"
        and sum(other is each.source for other in sources) == 1
        and memories.count(key_of(memory_of(each.tensor))) == 1
        and each.tensor.is_contiguous()
        else UNKNOWN
        for each in found
    ]


class Recorder(TorchFunctionMode):  # type: ignore[misc]
    """While in force, writes down which tensors are draws, and what spoils them."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, _Drawn] = {}

    def of(self, value: Any) -> _Drawn | None:
        """What is known of a tensor."""
        known = self._known.get(id(value)) if isinstance(value, Tensor) else None
        return known if known and known.version == value._version else None

    def source(self, value: Any) -> _Source | None:
        """Where a tensor came from, whatever was done to it since."""
        known = self._known.get(id(value)) if isinstance(value, Tensor) else None
        return known.source if known else None

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        before = [known for x in given if (known := self.of(x))]
        result = func(*args, **kwargs)
        if func in _QUESTIONS:
            return result
        fresh: _Drawn | None = None
        if func in _FACTORIES and isinstance(result, Tensor):
            fresh = _factory(_FACTORIES[func], args, kwargs, result)
        elif func in _STEPS and before and before[0].tensor is _subject(func, args):
            if len(given) == 1 and isinstance(result, Tensor):
                fresh = _STEPS[func](before[0], result, args, kwargs)
            if fresh is None:
                for known in before:
                    known.source.spoiled = True
        else:
            for known in before:
                known.source.spoiled = True
        if fresh is not None:
            self._known[id(result)] = fresh
        return result


def _subject(func: Callable[..., Any], args: Any) -> Any:
    """The tensor that a step is done to."""
    return args[1] if func in _SCALAR_FIRST and not isinstance(args[0], Tensor) else args[0]


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _factory(word: str, args: Any, kwargs: Any, result: Tensor) -> _Drawn | None:
    if kwargs.get("generator") is not None or kwargs.get("out") is not None:
        return None
    if result.dtype not in DTYPE_WORDS or result.is_complex():
        return None
    arguments = _arguments(word, args, kwargs)
    if arguments is None or not all(map(_number, arguments.values())):
        return None
    word = "randn" if word == "normal" else word.removesuffix("_like")
    return _Drawn(result, result._version, _Source(), word, arguments, result.dtype)


def _arguments(word: str, args: Any, kwargs: Any) -> Message | None:
    named = {k: v for k, v in kwargs.items() if k in ("low", "high", "fill_value", "start", "end")}
    if word in ("rand", "rand_like"):
        return {"low": 0.0, "high": 1.0}
    if word in ("randn", "randn_like"):
        return {"mean": 0.0, "std": 1.0}
    if word in ("randint", "randint_like"):
        bounds = [x for x in args[word == "randint_like" :] if type(x) is int]
        low = named.get("low", bounds[0] if len(bounds) > 1 else 0)
        high = named.get("high", bounds[-1] if bounds else None)
        return None if high is None else {"low": low, "high": high}
    if word in ("full", "full_like"):
        value = named.get("fill_value", args[1] if len(args) > 1 else None)
        return {"value": int(value) if type(value) is bool else value}
    if word == "randperm":
        return {"high": args[0]} if args else None
    if word == "arange":
        numbers = list(args) + [kwargs[k] for k in ("start", "end", "step") if k in kwargs]
        if len(numbers) == 1:
            return {"low": 0, "high": numbers[0], "step": 1}
        return {"low": numbers[0], "high": numbers[1], "step": (*numbers, 1)[2]}
    if word == "normal":  # torch.normal(2.0, 3.0, size): other forms take tensors
        mean, std = kwargs.get("mean", args[0] if args else None), kwargs.get("std")
        std = args[1] if std is None and len(args) > 1 else std
        return {"mean": mean, "std": std}
    return {}


def _filled(word: str) -> Callable[[_Drawn, Tensor, Any, Any], _Drawn | None]:
    """An operation that draws into a tensor that has no numbers yet."""
    names = {"rand": ("low", "high"), "randn": ("mean", "std"), "full": ("value",)}.get(word, ())
    keywords = {"low": "from", "high": "to"}
    usual = {"low": 0.0, "high": 1.0, "mean": 0.0, "std": 1.0, "value": None}

    def step(known: _Drawn, result: Tensor, args: Any, kwargs: Any) -> _Drawn | None:
        if known.word != "empty" or kwargs.get("generator") is not None:
            return None
        places = dict(zip(names, args[1:], strict=False))
        arguments = {
            name: places.get(name, kwargs.get(keywords.get(name, name), usual[name]))
            for name in names
        }
        if not all(map(_number, arguments.values())):
            return None
        return replace(known, word=word, arguments=arguments, version=result._version)

    return step


def _same(known: _Drawn, result: Tensor, args: Any, kwargs: Any) -> _Drawn | None:
    """A copy, or the same in another type: none that cuts something off."""
    if result.shape != known.tensor.shape or result.dtype not in DTYPE_WORDS:
        return None
    if result.dtype != known.tensor.dtype:
        whole = not known.dtype.is_floating_point and not known.has_scale and not known.has_shift
        if known.is_cast or not (result.is_floating_point() or whole):
            return None
        known = replace(known, is_cast=True)
    return replace(known, tensor=result, version=result._version)


def _moved(factor: float, summand: float) -> Callable[[_Drawn, Tensor, Any, Any], _Drawn | None]:
    """x -> factor * x + summand * the other argument, or x * it where `summand` is 0."""

    def step(known: _Drawn, result: Tensor, args: Any, kwargs: Any) -> _Drawn | None:
        number: Any = next((x for x in args[:2] if not isinstance(x, Tensor)), None)
        if kwargs or len(args) != 2 or not _number(number) or known.word == "empty":
            return None
        if result.dtype != known.tensor.dtype or result.shape != known.tensor.shape:
            return None
        known = replace(known, tensor=result, version=result._version)
        if known.is_cast:
            return None
        if summand:
            moved = _scaled(known, factor)
            return None if moved is None else _shifted(moved, summand * number)
        return _scaled(known, number)

    return step


def _divided(known: _Drawn, result: Tensor, args: Any, kwargs: Any) -> _Drawn | None:
    """By a power of two, of which the inverse is exact."""
    if len(args) != 2 or not _number(args[1]) or not _is_power_of_two(args[1]):
        return None
    return _moved(1.0, 0.0)(known, result, (args[0], 1.0 / args[1]), kwargs)


def _negated(known: _Drawn, result: Tensor, args: Any, kwargs: Any) -> _Drawn | None:
    return _moved(1.0, 0.0)(known, result, (args[0], -1), kwargs)


def _scaled(known: _Drawn, factor: float) -> _Drawn | None:
    """By a power of two at any time; by another number once, and before anything is added."""
    if factor == 1:
        return known
    if (known.has_scale or known.has_shift) and not _is_power_of_two(factor):
        return None
    return replace(
        known,
        scale=known.scale * factor,
        shift=known.shift * factor,
        has_scale=True,
    )


def _shifted(known: _Drawn, summand: float) -> _Drawn | None:
    if known.has_shift:
        return None  # two roundings
    return replace(known, shift=summand, has_shift=True)


def _is_power_of_two(number: float) -> bool:
    return number != 0 and abs(math.frexp(number)[0]) == 0.5


_FACTORIES: dict[Any, str] = {
    getattr(torch, name): name
    for name in """rand randn randint zeros ones full randperm arange normal empty rand_like
    randn_like randint_like zeros_like ones_like full_like empty_like""".split()
}

_STEPS: dict[Any, Callable[[_Drawn, Tensor, Any, Any], _Drawn | None]] = {
    Tensor.uniform_: _filled("rand"),
    Tensor.normal_: _filled("randn"),
    Tensor.fill_: _filled("full"),
    Tensor.zero_: _filled("zeros"),
    Tensor.div: _divided,
    Tensor.div_: _divided,
    Tensor.__truediv__: _divided,
    Tensor.__itruediv__: _divided,
    torch.div: _divided,
    Tensor.neg: _negated,
    Tensor.__neg__: _negated,
    **{
        getattr(Tensor, name): _same
        for name in """to float double half bfloat16 int long short char byte bool type cpu cuda
        contiguous clone detach requires_grad_ pin_memory""".split()
    },
    **{
        each: _moved(1.0, 0.0)
        for each in (
            *(getattr(Tensor, n) for n in "mul mul_ __mul__ __rmul__ __imul__".split()),
            torch.mul,
        )
    },
    **{
        each: _moved(1.0, 1.0)
        for each in (
            *(getattr(Tensor, n) for n in "add add_ __add__ __radd__ __iadd__".split()),
            torch.add,
        )
    },
    **{
        each: _moved(1.0, -1.0)
        for each in (
            *(getattr(Tensor, n) for n in "sub sub_ __sub__ __isub__".split()),
            torch.sub,
        )
    },
    Tensor.__rsub__: _moved(-1.0, 1.0),
}

_SCALAR_FIRST = frozenset((torch.mul, torch.add))

# What tells of a tensor, and not of its values.
_QUESTIONS = frozenset(
    (
        *(getattr(Tensor, n) for n in "size dim numel is_floating_point stride nelement".split()),
        *(getattr(Tensor, n) for n in "is_contiguous element_size __len__".split()),
        *(getattr(Tensor, n).__get__ for n in "shape dtype device ndim requires_grad".split()),
        *(getattr(Tensor, n).__get__ for n in "layout is_cuda".split()),
    )
)
