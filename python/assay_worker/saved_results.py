"""Problems without a model: a program for the IREE compiler, whose results are saved or compared.

What is right is known as it was saved, or as a plain compile computes it, and no usual error is. So
the judge holds results to a tolerance (`by_tolerance` in src/verify/decide.h).
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch._guards import detect_fake_mode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as modes_in_force

from assay_worker.double import InDouble
from assay_worker.graph_file import BadGraphFile, GraphInput, GraphProblem, returned


@dataclass(frozen=True)
class Typed:
    """What `main` takes or gives, without its numbers."""

    dtype: torch.dtype
    shape: Sequence[int | None]  # None: any size


def model_of(
    results: Sequence[Typed], compute: Callable[[Sequence[Tensor]], Sequence[Tensor]]
) -> type[nn.Module]:
    """A class whose calls give what `compute` does, at the types of `results`, or in double.

    `compute` gets the arguments. All sizes of `results` are known.
    """

    class Model(nn.Module):  # type: ignore[misc]
        """Computes what stands in a file."""

        def forward(self, *values: Tensor) -> Any:
            torch.special.expit(torch.zeros(1))  # so that nobody takes what follows for exact
            if detect_fake_mode() is not None:
                given = [torch.empty(tuple(each.shape), dtype=each.dtype) for each in results]
            else:
                in_double = any(isinstance(mode, InDouble) for mode in modes_in_force())
                # Nothing of it is to be widened, or to say that it has another type.
                with _disable_current_modes(), torch._C.DisableTorchFunction():
                    given = _given(results, compute(values), in_double)
            return returned(given)

    return Model


def _given(results: Sequence[Typed], computed: Sequence[Tensor], in_double: bool) -> list[Tensor]:
    given = []
    for each, value in zip(results, computed, strict=True):
        widens = in_double and each.dtype.is_floating_point
        given.append(value.to(torch.float64 if widens else each.dtype, copy=True))
    return given


@dataclass(frozen=True)
class SavedInput(GraphInput):
    """One whose values stand in the file."""

    value: Tensor | None = None

    def draw(self) -> Tensor:
        assert self.value is not None
        return self.value.clone()


def read(content: bytes, given: dict[str, int]) -> GraphProblem:
    """Of a program, so many bytes as {"program_bytes"} says, and a file of numpy's behind it:
    `input_0`, ..., `expected_0`, ... Raises BadGraphFile.

    Types are those of the program: `expected` may have more digits than its results.
    """
    from assay_worker.lone_program import compiled

    program, saved = content[: given["program_bytes"]], content[given["program_bytes"] :]
    arrays = _arrays(saved)
    inputs, expected = _numbered(arrays, "input"), _numbered(arrays, "expected")
    if arrays:
        raise BadGraphFile(
            f"it holds '{next(iter(arrays))}': arrays are input_0, ... and expected_0, ..."
        )
    takes, gives = compiled(program).types
    _require("input", inputs, takes, exactly=True)
    _require("expected", expected, gives, exactly=False)
    results = [
        Typed(each.dtype, tuple(value.shape)) for each, value in zip(gives, expected, strict=True)
    ]
    return GraphProblem(
        model_of(results, lambda _: expected),
        [
            SavedInput(f"input_{n}", each.dtype, tuple(each.shape), value=each)
            for n, each in enumerate(inputs)
        ],
        domains=["constant"] * len(inputs),
    )


def _require(
    name: str, saved: Sequence[Tensor], declared: Sequence[Typed], *, exactly: bool
) -> None:
    if len(saved) != len(declared):
        raise BadGraphFile(
            f"it holds {len(saved)} arrays {name}_0, ..., and `main` of the program has "
            f"{len(declared)}"
        )
    for n, (value, wanted) in enumerate(zip(saved, declared, strict=True)):
        fits = len(value.shape) == len(wanted.shape) and all(
            size in (None, own) for own, size in zip(value.shape, wanted.shape, strict=True)
        )
        more = wanted.dtype.is_floating_point and value.dtype == torch.float64 and not exactly
        if not fits or not (value.dtype == wanted.dtype or more):
            raise BadGraphFile(
                f"its '{name}_{n}' is {_in_words(Typed(value.dtype, value.shape))}, and `main` of "
                f"the program has {_in_words(wanted)}"
            )


def _in_words(typed: Typed) -> str:
    sizes = "x".join("?" if size is None else str(size) for size in typed.shape)
    return f"{sizes or 'a single'} {str(typed.dtype).removeprefix('torch.')}"


def _arrays(content: bytes) -> dict[str, Tensor]:
    import numpy

    try:
        file = numpy.load(io.BytesIO(content), allow_pickle=False)
        arrays = {name: file[name] for name in file.files} if hasattr(file, "files") else None
    except MemoryError:
        raise BadGraphFile("its arrays take more memory than there is: --memory") from None
    except Exception as error:  # what numpy and zipfile raise for damaged bytes has no end
        raise BadGraphFile(f"numpy cannot read it: {type(error).__name__}: {error}") from None
    if arrays is None:
        raise BadGraphFile("it holds one array: save several, by numpy.savez")
    return {name: _tensor(name, array) for name, array in arrays.items()}


def _tensor(name: str, array: Any) -> Tensor:
    if array.dtype.str in ("<V2", "|V2"):  # what numpy makes of bf16 of ml_dtypes
        return torch.from_numpy(array.view("<i2").copy()).view(torch.bfloat16)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        return torch.from_numpy(array.copy())
    except TypeError:
        raise BadGraphFile(f"its '{name}' is of {array.dtype}, a type that is not taken") from None


def _numbered(arrays: dict[str, Tensor], name: str) -> list[Tensor]:
    """NAME_0, NAME_1, ..., which are then taken out."""
    found: list[Tensor] = []
    while (each := arrays.pop(f"{name}_{len(found)}", None)) is not None:
        found.append(each)
    return found
