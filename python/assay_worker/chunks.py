"""Whether a problem may be computed in chunks of rows, and how many go into one.

What is computed in chunks must be what is computed at once, or a wrong result is called right. So
it is proven: the calls for all rows and for as many as a chunk has are followed, operation by
operation, with fake tensors. Each operation must leave rows apart (row_rules.py), and both calls
must be the same operations with the same arguments, but for the number of rows: nothing may have
asked how many there are. What can't be followed that way is not done in chunks.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from assay_worker import model_state
from assay_worker.building import Built, Rung, build, default_dtype, load
from assay_worker.described import FIRST_SEED
from assay_worker.failure import Failed, Unsupported
from assay_worker.kernelbench import unload
from assay_worker.on_cpu import OnCpu
from assay_worker.open_order import OpenOrder, is_open
from assay_worker.passes.conversions import CONVERSIONS
from assay_worker.peak import Peak
from assay_worker.protocol import Message
from assay_worker.python_state import Snapshot
from assay_worker.quiet import without_complaints
from assay_worker.row_rules import Call, Mixes, group_of_results
from assay_worker.settings import Settings
from assay_worker.tensors import bytes_of
from assay_worker.trail import Trail

MAX_OPERATIONS = 5000
# A constant that is larger is not compared, and so not taken for the same.
_MAX_CONSTANT = 4096


def plan(settings: Settings, target_bytes: int) -> Message:
    """{"rows", "of", "inputs": [place], "groups": [rows per row, of each output],
    "forward_bytes", "double_bytes"}: so many of all rows are computed at a time, sliced from these
    inputs; what a call of one chunk then holds is as in described.describe. Or {"why": reason}.

    The double run of one chunk takes about `target_bytes`, or what a single row takes.
    """
    try:
        with without_complaints():
            return _Proof(settings, target_bytes).plan()
    except Mixes as reason:
        return {"why": str(reason)}
    except (Failed, Unsupported) as finding:
        return {"why": f"it can't be followed without data: {finding}"}


class _Proof:
    def __init__(self, settings: Settings, target_bytes: int) -> None:
        self._settings, self._target = settings, target_bytes

    def plan(self) -> Message:
        """See above. Raises Mixes, Failed or Unsupported."""
        problem = load(self._settings.with_constants(), self._settings.path, FIRST_SEED, Trail())
        try:
            built = build(
                problem,
                FIRST_SEED,
                self._settings.train,
                self._settings.precision,
                [CONVERSIONS],
                Trail(),
                Rung(),
            )
            return self._of(built)
        finally:
            unload(problem)

    def _of(self, built: Built) -> Message:
        leaves = pytree.tree_leaves(built.inputs)
        tensors = {n: x for n, x in enumerate(leaves) if isinstance(x, Tensor)}
        largest = max(tensors.values(), key=bytes_of, default=None)
        if largest is None or largest.dim() == 0 or largest.shape[0] < 2:
            raise Mixes("no input has rows")
        if built.repeated:
            raise Mixes("one tensor is passed twice")
        rows = int(largest.shape[0])
        alike = [n for n, x in tensors.items() if x.dim() and x.shape[0] == rows]
        first = next(n for n in alike if tensors[n] is largest)
        refused: Mixes | None = None
        for inputs in [alike] if alike == [first] else [alike, [first]]:
            try:
                return self._with(built, leaves, inputs, rows)
            except Mixes as reason:
                refused = refused or reason
        assert refused is not None
        raise refused

    def _with(self, built: Built, leaves: list[Any], inputs: list[int], rows: int) -> Message:
        whole = _follow(self._settings, built, leaves, inputs, rows, rows)
        # Each chunk widens anew what all rows share: one should not be most of the work.
        by_rows = max(whole.double_bytes - whole.shared_bytes, 1)
        target = max(self._target - whole.shared_bytes, whole.shared_bytes)
        chunk = max(1, min(rows, int(rows * target / by_rows)))
        if chunk == rows:
            raise Mixes("it is small enough to be computed at once")
        parts = {chunk, rows % chunk} - {0}
        for part in parts:
            followed = _follow(self._settings, built, leaves, inputs, rows, part)
            if followed.operations != whole.operations or followed.groups != whole.groups:
                raise Mixes("forward depends on how many rows there are")
            if part == chunk:
                largest = followed
        return {
            "rows": chunk,
            "of": rows,
            "inputs": inputs,
            "groups": whole.groups,
            "forward_bytes": largest.bytes,
            "double_bytes": largest.double_bytes,
        }


@dataclass(frozen=True)
class _Followed:
    """One call."""

    operations: list[Any]
    groups: list[int]  # of results
    bytes: int
    double_bytes: int
    shared_bytes: int  # of that: state, and inputs without rows


def _follow(
    settings: Settings, built: Built, leaves: list[Any], inputs: list[int], of: int, rows: int
) -> _Followed:
    """Calls the model for the first so many rows. Raises Mixes, or Failed."""
    held = [each.tensor for each in model_state.held(built.model)]
    before = Snapshot(built.model)
    with ExitStack() as modes:
        modes.enter_context(built.fake)
        modes.enter_context(default_dtype(settings.precision))
        given = [_first_rows(leaf, rows) if n in inputs else leaf for n, leaf in enumerate(leaves)]
        versions = [x._version for x in [*held, *given] if isinstance(x, Tensor)]
        rules = _Rules(rows, [given[n] for n in inputs])
        peak = modes.enter_context(Peak())
        order = modes.enter_context(OpenOrder())
        modes.enter_context(rules)
        modes.enter_context(OnCpu(Trail()))
        structure = pytree.tree_structure(built.inputs)
        try:
            results = pytree.tree_leaves(built.model(*pytree.tree_unflatten(given, structure)))
        except Exception as error:
            first = "".join(str(error).splitlines()[:1])
            raise Mixes(f"forward fails without data, with {rows} of {of} rows: {first}") from None
        finally:
            left = before.restore() if before.changed() else set()
    if rules.refused:  # also where the problem's code caught it
        raise rules.refused
    if left:
        raise Mixes("forward leaves something behind in Python")
    if versions != [x._version for x in [*held, *given] if isinstance(x, Tensor)]:
        raise Mixes("forward changes its state or its inputs")
    if not all(isinstance(each, Tensor) for each in results):
        raise Mixes("it returns what is no tensor")
    if any(is_open(order.of(x)) for x in results if not x.is_floating_point()):
        raise Mixes("it returns indices, of which equal elements may come in any order")
    groups = [rules.group_of(each) for each in results]
    if 0 in groups:
        raise Mixes("a result has no rows")
    shared = _doubled([*held, *(x for n, x in enumerate(given) if n not in inputs)])
    double = peak.double_bytes + shared + _doubled(given[n] for n in inputs)
    return _Followed(rules.operations, groups, peak.bytes, double, shared)


def _doubled(values: Iterable[Any]) -> int:
    return sum(
        8 * x.numel() if x.is_floating_point() else bytes_of(x)
        for x in values
        if isinstance(x, Tensor)
    )


def _first_rows(tensor: Tensor, rows: int) -> Tensor:
    """A tensor of its own, as one chunk's is: the strides are those of the whole."""
    return torch.empty_strided((rows, *tensor.shape[1:]), tensor.stride(), dtype=tensor.dtype)


class _Rules(TorchDispatchMode):  # type: ignore[misc]
    """While in force, follows which tensors have rows, and writes down what is computed."""

    def __init__(self, rows: int, inputs: list[Tensor]) -> None:
        super().__init__()
        self.operations: list[Any] = []
        self.refused: Mixes | None = None
        self._rows = rows
        # With the tensors, so that no other gets the id of one.
        self._groups: dict[int, tuple[Tensor, int]] = {id(x): (x, 1) for x in inputs}

    def group_of(self, tensor: Tensor) -> int:
        """0: it has no rows."""
        return self._groups[id(tensor)][1] if id(tensor) in self._groups else 0

    def __torch_dispatch__(
        self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if self.refused:
            raise self.refused
        result = func(*args, **(kwargs or {}))
        if func._schema.name in _ASKED:
            return result
        try:
            self._look_at(func, args, kwargs or {}, result)
        except Mixes as reason:
            self.refused = reason
            raise
        return result

    def _look_at(self, func: OpOverload, args: Any, kwargs: Any, result: Any) -> None:
        if len(self.operations) >= MAX_OPERATIONS:
            raise Mixes(f"forward has more than {MAX_OPERATIONS} operations")
        call = Call(func, dict(_named(func, args, kwargs)), self._rows, self.group_of)
        results = [x for x in pytree.tree_leaves(result) if isinstance(x, Tensor)]
        group = 0
        if any(map(self.group_of, call.tensors())):
            group = group_of_results(call, results)
            for each in results:
                self._groups[id(each)] = (each, group)
        elif torch.Tag.nondeterministic_seeded in func.tags:
            raise call.mixes("draws random numbers")
        self.operations.append((str(func), group, *self._told(call, group)))

    def _told(self, call: Call, group: int) -> Iterator[Any]:
        """The arguments as they are whatever the number of rows."""
        for name, value in call.arguments.items():
            leaves, structure = pytree.tree_flatten(value)
            told = [self._told_leaf(leaf) for leaf in leaves]
            rows = call.rows * group
            if group and (call.name, name) in _SIZES and told and leaves[0] == rows:
                told[0] = "rows"
            yield name, str(structure), told

    def _told_leaf(self, leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return (type(leaf).__name__, repr(leaf))
        group = self.group_of(leaf)
        if not isinstance(leaf, FakeTensor) and not group:
            if leaf.numel() > _MAX_CONSTANT:
                raise Mixes("it takes a large tensor that it makes itself")
            with _disable_current_modes():  # it has values, and they are looked at
                values = leaf.detach().cpu().contiguous().flatten().view(torch.uint8).tolist()
            return ("constant", str(leaf.dtype), list(leaf.shape), values)
        return (str(leaf.dtype), group, list(leaf.shape)[1 if group else 0 :])


# Of a tensor, and nothing that depends on how many rows it has.
_ASKED = frozenset(("prim::device",))

# Arguments that name the sizes of a result, the rows first.
_SIZES = frozenset(
    (
        ("view", "size"),
        ("_unsafe_view", "size"),
        ("_reshape_alias", "size"),
        ("reshape", "shape"),
        ("expand", "size"),
        ("native_group_norm", "N"),
    )
)


def _named(func: OpOverload, args: Any, kwargs: Any) -> Iterator[tuple[str, Any]]:
    for n, argument in enumerate(func._schema.arguments):
        if n < len(args):
            yield argument.name, args[n]
        elif argument.name in kwargs:
            yield argument.name, kwargs[argument.name]
        elif argument.has_default_value():
            yield argument.name, argument.default_value
        else:
            yield argument.name, None
