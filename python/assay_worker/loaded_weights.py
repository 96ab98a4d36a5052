"""Weights of a hub in the place of those that a model draws: read from safetensors files.

Names are those of the model's state_dict. A model may stand in another, and a checkpoint be of one
that stands in another: modules that all of the names begin with may be left out on either side, the
same ones for all. A model of transformers also knows names that it had before (hub_names.py).
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from assay_worker import safetensors_file
from assay_worker.hub_names import BadWeights, Source, sources
from assay_worker.model_state import held
from assay_worker.protocol import Message
from assay_worker.safetensors_file import Stored

# Prefixes of more modules are not tried.
_MOST_MODULES = 3
# What torch itself does without where a checkpoint is older than it.
_MAY_LACK = "num_batches_tracked"


@dataclass(frozen=True)
class _Wanted:
    """A tensor of the model, by all of its names: tied ones are in a file once."""

    names: list[str]
    tensor: Tensor


def load(model: nn.Module, weights: Message) -> None:
    """Copies {"folder", "files": [name]} into what the model holds, cast to its types.

    All of its parameters and its persistent buffers have to be there. What the files have beside
    them is left out. Raises BadWeights, or BadFile.
    """
    found: dict[str, Stored] = {}
    for file in weights["files"]:
        for name, stored in safetensors_file.read(os.path.join(weights["folder"], file)).items():
            if name in found:
                raise BadWeights(f"the weights have '{name}' twice: once more in {file}")
            found[name] = stored
    wanted = list(_wanted(model))
    with torch.no_grad():
        for each, source in _fitting(wanted, sources(model, found)):
            _require_same(each, source)
            each.tensor.detach().copy_(source.tensor())


def _wanted(model: nn.Module) -> Iterator[_Wanted]:
    names: dict[int, _Wanted] = {}
    for each in held(model):
        if each.kind != "other":
            names.setdefault(id(each.tensor), _Wanted([], each.tensor)).names.append(each.name)
    return iter(names.values())


@dataclass(frozen=True)
class _Fit:
    """What comes of leaving out modules in front."""

    named: list[tuple[_Wanted, Source]]
    lacking: list[_Wanted]
    modules: int  # that are left out
    misfits: int  # of those named, by their shapes

    @property
    def missed(self) -> int:
        return len(self.lacking) + self.misfits

    @property
    def is_whole(self) -> bool:
        return self.missed == 0

    def sources(self) -> list[Source]:
        return [source for _, source in self.named]


def _fitting(wanted: Sequence[_Wanted], found: dict[str, Source]) -> list[tuple[_Wanted, Source]]:
    """Of each tensor what it is loaded from. Raises BadWeights."""
    if not wanted or not found:
        raise BadWeights(
            "the weights have no tensors" if wanted else "the model has no tensors to load"
        )
    pairs = [
        (mine, theirs)
        for mine in _leading(name for each in wanted for name in each.names)
        for theirs in _leading(found)
    ]
    pairs.sort(key=lambda pair: _modules(*pair))
    best: _Fit | None = None
    for pair in pairs:
        if best is not None and best.is_whole and _modules(*pair) > best.modules:
            break
        fit = _fit(wanted, found, *pair, best.missed if best is not None else len(wanted))
        if fit is None:
            continue
        if best is None or _badness(fit) < _badness(best):
            best = fit
        elif best.is_whole and fit.is_whole and fit.sources() != best.sources():
            (first, one), (_, other) = best.named[0], fit.named[0]
            raise BadWeights(
                f"the weights fit in two ways: '{first.names[0]}' may be {one.said} or {other.said}"
            )
    assert best is not None
    if not best.named:
        raise BadWeights(
            f"no name in the weights fits: they have {found[min(found)].said}, and the model has "
            f"'{wanted[0].names[0]}'"
        )
    if best.lacking:
        first = best.lacking[0]
        more = len(best.lacking) - 1
        raise BadWeights(
            f"the weights have no '{first.names[0]}' {list(first.tensor.shape)}"
            + (f", and {more} more of the model's" if more else "")
        )
    return best.named


def _fit(
    wanted: Sequence[_Wanted], found: dict[str, Source], mine: str, theirs: str, most: int
) -> _Fit | None:
    """None where more than `most` are missed: of a large model there are many pairs to try."""
    named, lacking, misfits = [], [], 0
    for each in wanted:
        source = _source_of(each, mine, theirs, found)
        if source is not None:
            named.append((each, source))
            misfits += source.shape != tuple(each.tensor.shape)
        elif each.names[0].rpartition(".")[2] != _MAY_LACK:
            lacking.append(each)
        if len(lacking) + misfits > most:
            return None
    return _Fit(named, lacking, _modules(mine, theirs), misfits)


def _modules(mine: str, theirs: str) -> int:
    return (mine + theirs).count(".")


def _badness(fit: _Fit) -> tuple[int, int]:
    return fit.missed, len(fit.lacking)


def _leading(names: Iterable[str]) -> list[str]:
    """What names begin with, "" and "model." and so on: modules in front of any number."""
    leading = {""}
    for name in names:
        modules = name.split(".")[:-1]
        for count, module in enumerate(modules[:_MOST_MODULES], 1):
            if module.isdigit():
                break
            leading.add(".".join(modules[:count]) + ".")
    return sorted(leading, key=lambda each: (each.count("."), each))


def _source_of(each: _Wanted, mine: str, theirs: str, found: dict[str, Source]) -> Source | None:
    for name in each.names:
        if name.startswith(mine) and (other := theirs + name.removeprefix(mine)) in found:
            return found[other]
    return None


def _require_same(each: _Wanted, source: Source) -> None:
    if source.shape != tuple(each.tensor.shape):
        raise BadWeights(
            f"the weights have {source.said} as {list(source.shape)}, and the model's "
            f"'{each.names[0]}' is {list(each.tensor.shape)}: give it the sizes that they were "
            "made for"
        )
    if source.dtype != each.tensor.dtype and not (
        source.dtype.is_floating_point and each.tensor.is_floating_point()
    ):
        raise BadWeights(
            f"the weights have {source.said} in {source.dtype}, and the model's "
            f"'{each.names[0]}' is in {each.tensor.dtype}"
        )
    if source.scale and source.dtype != each.tensor.dtype:
        raise BadWeights(
            f"the weights have {source.said} in {source.dtype} with '{source.scale}' beside it, "
            f"and the model's '{each.names[0]}' is in {each.tensor.dtype}: nobody here multiplies "
            "by scales; take a checkpoint that is not quantised, or multiply them and save it anew"
        )
