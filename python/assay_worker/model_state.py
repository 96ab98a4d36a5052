"""The tensors that a model holds: by name for the judge, and as they were for the next window."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from assay_worker.aliases import key_of, memory_of
from assay_worker.building import DTYPES
from assay_worker.protocol import Message
from assay_worker.tensors import is_plain, spec_of

_OF_MODULES = frozenset(vars(nn.Module()))
# Lists that recurrent modules keep of their own parameters.
_DERIVED = frozenset(("_flat_weights", "_flat_weight_refs"))


@dataclass(frozen=True)
class Held:
    """One tensor under one of its names."""

    name: str
    # "parameter" and "buffer" are those of the state_dict; "other" is what is in none: a buffer
    # that is not persistent, a tensor that is a plain attribute.
    kind: str
    holder: dict[str, Any]
    key: str
    tensor: Tensor


def held(model: nn.Module) -> list[Held]:
    """All of them: the state_dict's in its order, then the others."""
    named: list[Held] = []
    others: list[Held] = []
    for path, module in model.named_modules(remove_duplicate=False):
        prefix = f"{path}." if path else ""
        for key, tensor in module._parameters.items():
            if tensor is not None:
                named.append(Held(prefix + key, "parameter", module._parameters, key, tensor))
        for key, tensor in module._buffers.items():
            if tensor is None:
                continue
            if key in module._non_persistent_buffers_set:
                others.append(Held(prefix + key, "other", module._buffers, key, tensor))
            else:
                named.append(Held(prefix + key, "buffer", module._buffers, key, tensor))
        for key, value in vars(module).items():
            if isinstance(value, Tensor):
                others.append(Held(prefix + key, "other", vars(module), key, value))
    return named + others


def describe(model: nn.Module) -> list[Message]:
    """Of each tensor: {"name", "kind", "dtype", "shape"}, and "same_as" for a second name.

    "same_as" is the place of the first. No strides: what is told of it is dense.
    """
    first: dict[int, int] = {}
    described = []
    for n, each in enumerate(held(model)):
        spec = {k: v for k, v in spec_of(each.tensor).items() if k != "strides"}
        described.append({"name": each.name, "kind": each.kind, **spec})
        if (place := first.setdefault(id(each.tensor), n)) != n:
            described[-1]["same_as"] = place
    return described


def cast(model: nn.Module, dtype: torch.dtype | None) -> nn.Module:
    """Makes all that is floating point of one type, in place, one tensor after the other.

    As building.cast, which would keep all that it replaces until the end.
    """
    if dtype is not None:
        model._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)
        cast_attributes(model, dtype)
    return model


def cast_attributes(model: nn.Module, dtype: torch.dtype) -> None:
    """The same for tensors that are no parameters or buffers, but attributes, in lists too."""
    _replace_attributes(model, lambda t: t.to(dtype) if t.is_floating_point() else t)


def moved(model: nn.Module, device: str) -> nn.Module:
    """Has all its tensors on a device, those in attributes, too, in place."""
    model._apply(lambda t: t.to(device))
    _replace_attributes(model, lambda t: t.to(device))
    return model


def _replace_attributes(model: nn.Module, to: Callable[[Tensor], Tensor]) -> None:
    for module in model.modules():
        for key, value in list(vars(module).items()):
            if key not in _OF_MODULES and key not in _DERIVED:
                vars(module)[key] = pytree.tree_map_only(Tensor, to, value)


def construct(build: Any, train: bool, precision: str) -> nn.Module:
    """Builds a model, puts it into its mode and casts it to a precision."""
    model: nn.Module = build()
    return cast(model.train(train), DTYPES[precision])


class Kept:
    """What a call may change of a model, to be as it was before the next call: a window is alone.

    Buffers, and tensors in attributes, in lists and tuples too. Parameters are not kept: a copy of
    all would take as much memory again, and what a call makes of them stays.
    """

    def __init__(self, model: nn.Module) -> None:
        self._tensors: list[tuple[Tensor, Tensor, int]] = []  # itself, as it was, its version
        # Of `_tensors`, what the first call changed: batch_norm writes without a new version.
        self._changing: set[int] | None = None
        self._places: list[tuple[dict[str, Any], str, Any]] = []
        seen: set[int] = set()
        for holder, key, value in _changeable(model):
            self._places.append((holder, key, value))
            for tensor in pytree.tree_leaves(value):
                if isinstance(tensor, Tensor) and _has_values(tensor) and id(tensor) not in seen:
                    seen.add(id(tensor))
                    self._tensors.append((tensor, tensor.clone(), tensor._version))

    def restore(self, results: Sequence[Any] = ()) -> set[int]:
        """Puts back what a call changed. Looks at the values after the first; then it is cheap.

        But for the memory of `results`: who returns what the model keeps may write all of it anew
        at each call. Returns what memory it has written: its keys.
        """
        for holder, key, value in self._places:
            if holder.get(key) is not value:
                holder[key] = value
        if self._changing is None:
            self._changing = {
                n for n, (now, was, _) in enumerate(self._tensors) if not torch.equal(now, was)
            }
        changed = [
            n
            for n, (tensor, _, version) in enumerate(self._tensors)
            if n in self._changing or tensor._version != version
        ]
        spared = keys_of(results) if changed else set()
        written = set()
        for n in changed:
            tensor, before, _ = self._tensors[n]
            memory = key_of(memory_of(tensor))
            if memory not in spared:
                written.add(memory)
                tensor.copy_(before)
                self._tensors[n] = (tensor, before, tensor._version)
        return written

    def may_change(self) -> bool:
        """Whether restoring may have something to do: until it has been done, nobody knows."""
        return self._changing is None or bool(self._changing)

    def shares(self, tensor: Tensor) -> bool:
        """Whether it lies in memory that `restore` may write into."""
        key = key_of(memory_of(tensor))
        return any(key_of(memory_of(each)) == key for each, _, _ in self._tensors)


def keys_of(results: Sequence[Any]) -> set[int]:
    """Of the memory of those that are plain tensors."""
    return {key_of(memory_of(each)) for each in results if is_plain(each)}


def _has_values(tensor: Tensor) -> bool:
    """Whether torch can compare it: not what is packed for a library, sparse, or on no device."""
    return tensor.layout is torch.strided and tensor.device.type in ("cpu", "cuda")


def _changeable(model: nn.Module) -> Iterator[tuple[dict[str, Any], str, Any]]:
    for module in model.modules():
        for key, buffer in module._buffers.items():
            if buffer is not None:
                yield module._buffers, key, buffer
        for key, value in vars(module).items():
            if key in _OF_MODULES or key in _DERIVED or isinstance(value, nn.Module):
                continue
            if any(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves(value)):
                yield vars(module), key, value


def why_not_strict(model: nn.Module, constants: Sequence[Message]) -> str:
    """Why the named tensors can't be copied into the model one by one; empty: they can.

    Only those count that stand in a state_dict; a sheet may have others.
    """
    mine = {each.name: each.tensor for each in held(model) if each.kind != "other"}
    theirs = {each["name"]: each for each in constants if each["kind"] != "other"}
    if missing := sorted(theirs.keys() - mine.keys()):
        return f"it has no {_listed(missing)}"
    if more := sorted(mine.keys() - theirs.keys()):
        return f"it has {_listed(more)} as well"
    for name, tensor in mine.items():
        wanted, got = theirs[name], spec_of(tensor)
        if (got["dtype"], got["shape"]) != (wanted["dtype"], wanted["shape"]):
            return (
                f"its '{name}' is {got['dtype']}{got['shape']}, not "
                f"{wanted['dtype']}{wanted['shape']}"
            )
    return ""


def beside(model: nn.Module, constants: Sequence[Message]) -> tuple[str, int]:
    """What the model holds beside all that a sheet has: the name of the largest, and its elements.

    The name is empty where there is no tensor.
    """
    theirs = {each["name"] for each in constants}
    found = (
        (name if not path else f"{path}.{name}", tensors)
        for path, module in model.named_modules()
        for name, value in [*vars(module).items(), *module._buffers.items()]
        if name not in _OF_MODULES
        and name not in _DERIVED
        and not isinstance(value, nn.Module)
        and (tensors := [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, Tensor)])
    )
    sizes = [(name, sum(x.numel() for x in tensors)) for name, tensors in found]
    return max(
        (each for each in sizes if each[0] not in theirs), key=lambda x: x[1], default=("", 0)
    )


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:3]) + (", ..." if len(names) > 3 else "")


def assign(model: nn.Module, values: dict[str, Tensor]) -> None:
    """Copies values into the tensors of these names, where type and shape agree."""
    for each in held(model):
        value = values.get(each.name)
        if value is not None and (value.dtype, value.shape) == (
            each.tensor.dtype,
            each.tensor.shape,
        ):
            each.tensor.detach().copy_(value)
