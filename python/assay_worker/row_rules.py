"""Which operations compute each row of their results from the same row of their arguments.

A tensor has rows when its first dimension is n equal groups, one for each of n rows of the inputs:
its group size is that dimension divided by n. A rule says, for an operation that some tensors with
rows go into, with which group size its results come out; or it raises Mixes, as it does for all
that is not known. Never is anything taken for granted: an operation without a rule mixes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils import _pytree as pytree


class Mixes(BaseException):
    """Rows are mixed, or it is not known that they aren't. No `except Exception` catches it."""


@dataclass
class Call:
    """One operation, with what is known of its tensors."""

    func: OpOverload
    arguments: dict[str, Any]  # by name, defaults included
    rows: int
    group_of: Callable[[Tensor], int]  # 0: it has no rows, and is the same for all of them

    @property
    def name(self) -> str:
        return str(self.func._schema.name).partition("::")[2].rstrip("_")

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def tensors(self) -> list[Tensor]:
        return [x for x in pytree.tree_leaves(list(self.arguments.values())) if _is_tensor(x)]

    def mixes(self, why: str) -> Mixes:
        return Mixes(f"{self.name} {why}")

    def only_first(self) -> Tensor:
        """The first argument, which has rows, where no other has."""
        first, *others = self.tensors()
        if not self.group_of(first) or any(map(self.group_of, others)):
            raise self.mixes("takes rows where it may mix them")
        return first

    def dimensions(self, name: str, of: Tensor) -> list[int]:
        """Those that an argument names, which must leave the first one alone."""
        given = self.arguments.get(name)
        listed = [given] if isinstance(given, int) else list(given or [])
        found = [each % of.dim() for each in listed] if of.dim() else []
        if not found or 0 in found:
            raise self.mixes("goes over the rows")
        return found


def group_of_results(call: Call, results: list[Tensor]) -> int:
    """The group size of all results. Raises Mixes."""
    tags = call.func.tags
    if torch.Tag.nondeterministic_seeded in tags and call.name not in _DRAW_IF_ASKED:
        raise call.mixes("draws random numbers")
    if any(a.is_out for a in call.func._schema.arguments):
        raise call.mixes("writes where it is told to")
    if torch.Tag.pointwise in tags or call.name in _LIKE_POINTWISE:
        group = _pointwise(call, results)
    elif call.name in _RULES:
        group = _RULES[call.name](call, results)
    else:
        raise call.mixes("is not known to leave rows apart")
    for result in results:
        if result.dim() == 1 and result.numel() == 0:
            continue  # what batch_norm would keep, were it in training
        if result.dim() == 0 or result.shape[0] != group * call.rows:
            raise call.mixes("has other rows in its results")
    return group


# Their rules see to it that they don't.
_DRAW_IF_ASKED = frozenset(("_scaled_dot_product_flash_attention_for_cpu",))

# Element by element, too, or the same everywhere.
_LIKE_POINTWISE = frozenset(
    "_to_copy alias clone copy detach fill full_like lift_fresh masked_fill ones_like zero "
    "zeros_like".split()
)


def _pointwise(call: Call, results: list[Tensor]) -> int:
    written = [
        call.arguments[a.name]
        for a in call.func._schema.arguments
        if a.alias_info is not None and a.alias_info.is_write
    ]
    if any(isinstance(x, Tensor) and not call.group_of(x) for x in written):
        raise call.mixes("writes rows into what is not of a row")
    (result, *more) = results
    groups = set()
    for tensor in call.tensors():
        if group := call.group_of(tensor):
            groups.add(group)
            aligned = tensor.dim() == result.dim()
        else:  # the same for each row only where it does not reach to the first dimension
            aligned = tensor.dim() < result.dim() or tensor.shape[0] == 1
        if not aligned:
            raise call.mixes("spreads what it takes over the rows")
    if len(groups) != 1 or more:
        raise call.mixes("takes rows of different groups")
    return groups.pop()


def _along(name: str) -> Callable[[Call, list[Tensor]], int]:
    """Works along dimensions, that are not the first one."""

    def rule(call: Call, _: list[Tensor]) -> int:
        first = call.only_first()
        call.dimensions(name, first)
        return call.group_of(first)

    return rule


def _view(call: Call, results: list[Tensor]) -> int:
    """Row-major order stays, so whole groups stay where the first dimension has them."""
    call.only_first()
    shape = results[0].shape
    if not shape or shape[0] % call.rows or 0 in shape:
        raise call.mixes("merges rows")
    return int(shape[0]) // call.rows


def _expand(call: Call, results: list[Tensor]) -> int:
    first = call.only_first()
    if results[0].dim() != first.dim():
        raise call.mixes("repeats the rows")
    return call.group_of(first)


def _unsqueeze(call: Call, results: list[Tensor]) -> int:
    first = call.only_first()
    if call["dim"] % results[0].dim() == 0:
        raise call.mixes("puts something before the rows")
    return call.group_of(first)


def _permute(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if [each % first.dim() for each in call["dims"]][0] != 0:
        raise call.mixes("moves the rows")
    return call.group_of(first)


def _transpose(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if 0 in (call["dim0"] % first.dim(), call["dim1"] % first.dim()):
        raise call.mixes("moves the rows")
    return call.group_of(first)


def _join(call: Call, results: list[Tensor]) -> int:
    tensors = call["tensors"]
    groups = {call.group_of(tensor) for tensor in tensors}
    if len(groups) != 1 or call["dim"] % results[0].dim() == 0:
        raise call.mixes("joins rows with something else")
    return groups.pop()


def _pad(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if len(call["pad"]) // 2 >= first.dim():
        raise call.mixes("pads the rows")
    return call.group_of(first)


def _of_matrices(call: Call, _: list[Tensor]) -> int:
    """On the last two dimensions."""
    first = call.only_first()
    if first.dim() < 3:
        raise call.mixes("goes over the rows")
    return call.group_of(first)


def _embedding(call: Call, _: list[Tensor]) -> int:
    if call.group_of(call["weight"]):
        raise call.mixes("takes rows where it may mix them")
    return call.group_of(call["indices"])


def _product(call: Call, _: list[Tensor]) -> int:
    """Rows of the first factor; the second, and what is added, are the same for all."""
    first, second = (call["self"], call["mat2"]) if call.name == "mm" else _factors(call)
    if call.group_of(second) or not call.group_of(first):
        raise call.mixes("takes rows where it may mix them")
    if call.name in ("addmm", "addmv"):
        _added(call, dimensions=2 if call.name == "addmm" else 1)
    return call.group_of(first)


def _factors(call: Call) -> tuple[Tensor, Tensor]:
    if call.name == "addmm":
        return call["mat1"], call["mat2"]
    if call.name == "addmv":
        return call["mat"], call["vec"]
    return call["self"], call["vec"]


def _added(call: Call, dimensions: int) -> None:
    added = call["self"]
    if call.group_of(added) or (added.dim() >= dimensions and added.shape[0] != 1):
        raise call.mixes("adds what may differ from row to row")


def _batched_product(call: Call, _: list[Tensor]) -> int:
    names = ("self", "mat2") if call.name == "bmm" else ("batch1", "batch2")
    groups = {call.group_of(call[name]) for name in names}
    if len(groups) != 1:
        raise call.mixes("takes rows where it may mix them")
    if call.name == "baddbmm":
        _added(call, dimensions=3)
    return groups.pop()


def _convolution(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if first.dim() != call["weight"].dim():
        raise call.mixes("takes the rows for channels")
    return call.group_of(first)


def _layer_norm(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if len(call["normalized_shape"]) >= first.dim():
        raise call.mixes("goes over the rows")
    return call.group_of(first)


def _group_norm(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if call["N"] != first.shape[0]:
        raise call.mixes("takes the rows for something else")
    return call.group_of(first)


def _batch_norm(call: Call, _: list[Tensor]) -> int:
    first = call.only_first()
    if call.arguments.get("training") or first.dim() < 2:
        raise call.mixes("goes over the rows")
    return call.group_of(first)


def _pool(dimensions: int) -> Callable[[Call, list[Tensor]], int]:
    """Leaves images apart. With one dimension less, channels, it leaves those apart."""

    def rule(call: Call, _: list[Tensor]) -> int:
        first = call.only_first()
        if first.dim() <= dimensions:
            raise call.mixes("goes over the rows")
        return call.group_of(first)

    return rule


def _attention(call: Call, _: list[Tensor]) -> int:
    groups = {call.group_of(tensor) for tensor in call.tensors()}
    if len(groups) != 1 or call.arguments.get("dropout_p"):
        raise call.mixes("takes rows where it may mix them")
    return groups.pop()


def _named(names: str, rule: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), rule)


_RULES: dict[str, Callable[[Call, list[Tensor]], int]] = (
    _named(
        "_log_softmax _softmax all amax amin any argmax argmin cummax cummin cumprod cumsum "
        "linalg_vector_norm logsumexp max mean median min norm prod select slice sort split "
        "split_with_sizes squeeze std std_mean sum topk unbind unfold var var_mean",
        _along("dim"),
    )
    | {"index_select": _along("dim"), "flip": _along("dims"), "roll": _along("dims")}
    | _named("_reshape_alias _unsafe_view reshape view", _view)
    | {"expand": _expand, "unsqueeze": _unsqueeze, "permute": _permute, "transpose": _transpose}
    | {"cat": _join, "constant_pad_nd": _pad, "tril": _of_matrices, "triu": _of_matrices}
    | {"embedding": _embedding, "convolution": _convolution}
    | _named("mm addmm mv addmv", _product)
    | _named("bmm baddbmm", _batched_product)
    | {"native_layer_norm": _layer_norm, "native_group_norm": _group_norm}
    | _named("native_batch_norm _native_batch_norm_legit_no_training", _batch_norm)
    | _named("avg_pool2d _adaptive_avg_pool2d max_pool2d_with_indices", _pool(2))
    | _named("avg_pool3d _adaptive_avg_pool3d max_pool3d_with_indices", _pool(3))
    | {"_scaled_dot_product_flash_attention_for_cpu": _attention}
)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)
