"""What weights on a hub are to a model of transformers: under older names, in other pieces.

The rules are transformers' own, those that its from_pretrained has for each kind of model. It is
not asked to load: it would put tensors of its own into the model, by several threads.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker.failure import Explained
from assay_worker.safetensors_file import Stored

# Behind a tensor's name: of compressed-tensors and ModelOpt, and of DeepSeek.
_SCALES = ("_scale", "_scale_inv")


class BadWeights(Explained):
    """They are not those of the model."""


@dataclass(frozen=True)
class Source:
    """What a tensor of a model may be loaded from."""

    said: str  # its names in the files, for messages
    dtype: torch.dtype
    shape: tuple[int, ...]
    tensor: Callable[[], Tensor]
    scale: str = ""  # the name of a tensor that its values are to be multiplied by


def sources(model: nn.Module, found: dict[str, Stored]) -> dict[str, Source]:
    """Under the names that the files have, and under those of the model that transformers finds.

    Of models of transformers there has to be one: of several, nobody says whose names they are.
    Raises BadWeights.
    """
    plain = {
        name: Source(f"'{name}'", stored.dtype, stored.shape, stored.tensor, _scale_of(name, found))
        for name, stored in found.items()
    }
    inner = list(_models_of_transformers(model))
    if len(inner) != 1:
        return plain
    ((place, its_model),) = inner
    understood = _understood(its_model, plain)
    prefix = f"{place}." if place else ""
    return {prefix + name: each for name, each in understood.items()} | plain


def _scale_of(name: str, found: dict[str, Stored]) -> str:
    """Values of one byte are of use with their scale alone, which lies beside them; or ""."""
    if found[name].dtype.itemsize > 1:
        return ""
    return next((scale for end in _SCALES if (scale := name + end) in found), "")


def _models_of_transformers(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Without those that are part of another. Whoever has one has imported what this asks for."""
    modeling = sys.modules.get("transformers.modeling_utils")
    if modeling is None:
        return
    outer: list[str] = []
    for place, module in model.named_modules():
        if not isinstance(module, modeling.PreTrainedModel):
            continue
        if not any(each == "" or place.startswith(f"{each}.") for each in outer):
            outer.append(place)
            yield place, module


def _understood(model: Any, plain: dict[str, Source]) -> dict[str, Source]:
    """Under names of this model's. What it has no place for is left out."""
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.core_model_loading import (
        WeightConverter,
        WeightRenaming,
        dot_natural_key,
        rename_source_key,
    )

    rules = get_model_conversion_mapping(model)
    renamings = [each for each in rules if isinstance(each, WeightRenaming)]
    converters = [each for each in rules if isinstance(each, WeightConverter)]
    of_pattern = {pattern: each for each in converters for pattern in each.source_patterns}
    held = model.state_dict()
    renamed: dict[str, Source] = {}
    pieces: dict[str, list[_Piece]] = {}
    for name in sorted(plain, key=dot_natural_key):  # experts in the order of their numbers
        target, pattern = rename_source_key(
            name, renamings, converters, model.base_model_prefix, held
        )
        if target not in held:
            target, pattern = name, None
        if target not in held:
            continue
        if pattern is not None:
            pieces.setdefault(target, []).append(_Piece(pattern, name, plain[name]))
        elif target in renamed:
            raise BadWeights(
                f"the weights have the model's '{target}' twice: as {renamed[target].said} and "
                f"as '{name}'"
            )
        else:
            renamed[target] = plain[name]
    converted: dict[str, Source] = {}
    for target, each in pieces.items():
        converted |= _Converted(model, of_pattern[each[0].pattern], target, each).sources()
    return converted | renamed


@dataclass(frozen=True)
class _Piece:
    """A tensor in files that a converter takes."""

    pattern: str  # of the converter's, which the name fits
    name: str
    source: Source


@dataclass(frozen=True)
class _Converted:
    """What a converter of transformers makes of pieces: of experts by themselves one tensor of
    all, or of one tensor several.
    """

    model: Any
    converter: Any
    target: str  # the first name of what is made
    pieces: Sequence[_Piece]

    def sources(self) -> dict[str, Source]:
        """By the names of what is made. Nothing is read yet: shapes are told without data."""
        if lacking := self._lacking():
            raise BadWeights(f"the weights have no '{lacking}' beside '{self.pieces[0].name}'")
        try:
            made = self._made(_without_data)
        except Exception as error:
            said = str(error).partition("\n")[0]
            raise BadWeights(
                f"{self._said()} in the weights do not make the model's '{self.target}': {said}"
            ) from error
        said = f"{self._said()} (converted)"
        scale = next((each.source.scale for each in self.pieces if each.source.scale), "")
        return {
            name: Source(said, each.dtype, tuple(each.shape), partial(self._loaded, name), scale)
            for name, each in made.items()
        }

    def _loaded(self, name: str) -> Tensor:
        return self._made(lambda source: source.tensor())[name]

    def _made(self, tensor: Callable[[Source], Tensor]) -> dict[str, Tensor]:
        converter = deepcopy(self.converter)  # it keeps what it is given until it has converted
        for each in self.pieces:
            converter.add_tensor(self.target, each.name, each.pattern, tensor(each.source))
        made = converter.convert(self.target, model=self.model, config=self.model.config)
        return {name: each[0] if isinstance(each, list) else each for name, each in made.items()}

    def _lacking(self) -> str:
        """The first that is missing of pieces with numbers, as far as others show it; or ""."""
        numbers: dict[tuple[str, str], set[int]] = {}  # by what stands around them
        for each in self.pieces:
            _, star, behind = each.pattern.rpartition(".*.")
            before, *rest = each.name.rsplit(".", behind.count(".") + 2)
            if star and len(rest) > 1 and rest[0].isdigit():
                around = before, ".".join(rest[1:])
                numbers.setdefault(around, set()).add(int(rest[0]))
        count = max((max(each) + 1 for each in numbers.values()), default=0)
        lacking = (
            f"{before}.{number}.{behind}"
            for (before, behind), there in numbers.items()
            for number in range(count)
            if number not in there
        )
        return next(lacking, "")

    def _said(self) -> str:
        more = len(self.pieces) - 1
        return f"'{self.pieces[0].name}'" + (f" and {more} more" if more else "")


def _without_data(source: Source) -> Tensor:
    return torch.empty(source.shape, dtype=source.dtype, device="meta")
