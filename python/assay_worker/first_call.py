"""Refuses a model whose second call computes something else by what Python kept of the first.

A trace is of one call: `self.count += 1; return x * self.count` becomes `x * 1`. Most of what a
`forward` leaves in Python does no harm: a counter that nobody reads, a table that is made at the
first call. So where something is left, two calls are traced one after the other, and compared.
"""

import hashlib
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.utils import _pytree as pytree

from assay_worker.failure import Unsupported
from assay_worker.python_state import Snapshot

# Of the closed list in docs/formats.md.
FIRST_CALL = "first_call"
SECOND_CALL_UNKNOWN = "second_call_unknown"

MAX_NAMES = 3
MAX_ERROR_CHARACTERS = 200

# Makes a functional program of a model that takes what `forward` takes.
Export = Callable[[nn.Module], ExportedProgram]


@dataclass
class Left:
    """What a call leaves in Python: names of all that it changes, and of what can't be put back."""

    names: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)


@contextmanager
def what_it_leaves(model: nn.Module) -> Iterator[Left]:
    """While in force, puts back what `forward` changes in Python; yields the names of that."""
    left = Left()
    before: list[Snapshot] = []

    def enter(*_: Any) -> None:
        before.append(Snapshot(model))

    def leave(*_: Any) -> None:
        snapshot = before.pop()
        names = snapshot.changed()
        if names:
            left.names.update(names)
            left.lost.update(snapshot.restore())

    with ExitStack() as hooks:
        hooks.callback(model.register_forward_pre_hook(enter, prepend=True).remove)
        hooks.callback(model.register_forward_hook(leave).remove)
        yield left


def fallback_of_later_calls(model: nn.Module, left: Left, export: Export) -> str | None:
    """The word for a program that may be of the first call alone; None: any call computes the same.

    Raises Unsupported where the second call computes something else, or fails, or can't be made.
    """
    if not left.names:
        return None
    if left.lost:
        raise Unsupported(
            f"`forward` changes {_listed(left.lost)}, which can't be put back to find out whether "
            "the next call computes the same: keep a number instead"
        )
    told = _Told()
    try:
        program = export(_Twice(model, told))
    except BaseException as error:  # also Unsupported: two calls are more than was asked for
        if told.raised is not None and _is_of_the_file(told.raised, type(model).__module__):
            raise Unsupported(
                f"`forward` changes {_listed(left.names)}, and a second call fails: "
                f"{_one_line(told.raised)}"
            ) from None
        if not isinstance(error, Exception):
            raise
        return SECOND_CALL_UNKNOWN
    if not told.are_equal(_Numbers(program)):
        raise Unsupported(
            f"`forward` changes {_listed(left.names)}, and what the next call computes depends on "
            "it: a program carries from call to call only tensors that `__init__` sets as "
            "attributes or buffers"
        )
    return FIRST_CALL if told.unsettled else None


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)[:MAX_NAMES])


def _is_of_the_file(error: BaseException, file: str) -> bool:
    """Whether a call outside of an export would have raised it, too, as far as can be told.

    What the file raises itself, and Python's own errors: torch's have types of their own for what
    can't be traced, but for those whose message speaks of fake tensors.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if frames and frames[-1].f_globals.get("__name__") == file:
        return True
    if isinstance(error, AssertionError | NotImplementedError | MemoryError):
        return False
    return type(error).__module__ == "builtins" and "fake" not in _one_line(error).lower()


def _one_line(error: BaseException) -> str:
    whole = " ".join(traceback.format_exception_only(error)).split()
    line = " ".join(whole)
    return line if len(line) <= MAX_ERROR_CHARACTERS else line[:MAX_ERROR_CHARACTERS] + "..."


@dataclass
class _Told:
    """What two calls said of themselves while they were traced."""

    shapes: list[Any] = field(default_factory=list)  # of all that they gave, and what is no tensor
    counts: list[int] = field(default_factory=list)  # of tensors
    unsettled: bool = False
    raised: BaseException | None = None  # by the second call

    def are_equal(self, numbers: "_Numbers") -> bool:
        # A trace may run more than once: the last two are of the last.
        count = self.counts[-2]
        first, second = numbers.results[:count], numbers.results[count:]
        if self.shapes[-2] != self.shapes[-1] or first != second:
            return False
        # What was drawn by the first, and is read by the second, a program would draw again.
        return not (numbers.drawn_for(0, count) & numbers.drawn_for(count, 2 * count))


class _Twice(nn.Module):  # type: ignore[misc]
    """Calls a model twice with the same, but for what it kept in Python. Gives all tensors."""

    def __init__(self, model: nn.Module, told: _Told) -> None:
        super().__init__()
        self.model, self._told = model, told

    def forward(self, *inputs: Any) -> list[Tensor]:
        start = Snapshot(self.model)
        held = list(_held(self.model))
        values = [tensor.clone() for _, _, tensor in held]
        results: list[Tensor] = []
        between = start
        for call in range(2):
            given = pytree.tree_map_only(Tensor, torch.clone, list(inputs))
            try:
                results_of_call = self.model(*given)
            except BaseException as error:
                self._told.raised = error if call else None
                raise
            leaves, shape = pytree.tree_flatten([results_of_call, given])
            kept = [place[name] for place, name, _ in held]
            tensors = [x for x in leaves if isinstance(x, Tensor)] + kept
            results += [tensor.clone() for tensor in tensors]
            others = [None if isinstance(x, Tensor) else repr(x) for x in leaves]
            self._told.shapes.append((str(shape), others))
            self._told.counts.append(len(tensors))
            for (place, name, tensor), value in zip(held, values, strict=True):
                place[name] = tensor
                tensor.copy_(value)
            if call == 0:
                between = Snapshot(self.model)
        self._told.unsettled = bool(between.changed())
        start.restore()
        return results


def _held(model: nn.Module) -> Iterator[tuple[dict[str, Any], str, Tensor]]:
    """(where, under which name, tensor) of buffers and parameters, each tensor once."""
    seen: set[int] = set()
    for module in model.modules():
        for place in (module._buffers, module._parameters):
            for name, tensor in place.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield place, name, tensor


class _Numbers:
    """Gives equal numbers to nodes that compute the same from the same."""

    _COPIES = frozenset(
        f"aten.{name}.default" for name in ("alias", "clone", "detach", "lift_fresh_copy")
    )

    def __init__(self, program: ExportedProgram) -> None:
        self._known: dict[Any, int] = {}
        self._constants = {
            spec.arg.name: program.constants[spec.target]
            for spec in program.graph_signature.input_specs
            if spec.target in program.constants and spec.persistent is None
        }
        drawing = [n for n in program.graph.nodes if n.op == "call_function" and _draws(n)]
        # The n-th draw of one call stands for the n-th of the other, if there are as many.
        half = len(drawing) // 2 if len(drawing) % 2 == 0 else len(drawing)
        self._draws = {node: n % half for n, node in enumerate(drawing)}
        specs = program.graph_signature.output_specs
        user = [spec.kind == OutputKind.USER_OUTPUT for spec in specs]
        given = zip(self._of(program.graph_module, None), user, strict=True)
        nodes = zip(program.graph.output_node().args[0], user, strict=True)
        # Of the user's results alone: their numbers, and the nodes that give them.
        self.results = [number for number, is_result in given if is_result]
        self._nodes = [node for node, is_result in nodes if is_result]

    def drawn_for(self, begin: int, end: int) -> set[fx.Node]:
        """The draws that results in this range depend on."""
        seen: set[fx.Node] = set()
        waiting = list(self._nodes[begin:end])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting.extend(node.all_input_nodes)
        return seen & self._draws.keys()

    def _of(self, module: fx.GraphModule, arguments: list[int] | None) -> list[int]:
        numbers: dict[fx.Node, int] = {}
        results: list[int] = []
        place = 0
        for node in module.graph.nodes:
            if node.op == "placeholder" and arguments is not None:
                numbers[node] = arguments[place]
                place += 1
            elif node.op == "placeholder":
                numbers[node] = self._number(self._given(node.name))
            elif node.op == "get_attr":
                numbers[node] = self._attribute(module, node)
            elif node.op == "output":
                given = node.args[0] if isinstance(node.args[0], list | tuple) else node.args
                results = [self._number(self._key(each, numbers)) for each in given]
            else:
                numbers[node] = self._call(node, numbers)
        return results

    def _call(self, node: fx.Node, numbers: dict[fx.Node, int]) -> int:
        if str(node.target) in self._COPIES and _alike(node, node.args[0]):
            return numbers[node.args[0]]
        if str(node.target) == "aten.copy.default" and _alike(node, node.args[1]):
            return numbers[node.args[1]]
        draw = self._draws.get(node)
        return self._number((str(node.target), self._key([node.args, node.kwargs], numbers), draw))

    def _given(self, name: str) -> Any:
        if name in self._constants:
            return _constant(name, self._constants[name])
        return ("given", name)

    def _attribute(self, module: fx.GraphModule, node: fx.Node) -> int:
        value: Any = module
        for name in str(node.target).split("."):
            value = getattr(value, name)
        if isinstance(value, fx.GraphModule):
            inside = sum(each.op == "placeholder" for each in value.graph.nodes)
            arguments = [self._number(("argument", n)) for n in range(inside)]
            return self._number(("body", tuple(self._of(value, arguments))))
        return self._number(_constant(str(node.target), value))

    def _key(self, value: Any, numbers: dict[fx.Node, int]) -> Any:
        if isinstance(value, fx.Node):
            return ("node", numbers[value])
        if isinstance(value, list | tuple):
            return tuple(self._key(each, numbers) for each in value)
        if isinstance(value, dict):
            return tuple((k, self._key(each, numbers)) for k, each in sorted(value.items()))
        return (type(value).__name__, repr(value))

    def _number(self, key: Any) -> int:
        return self._known.setdefault(key, len(self._known))


def _constant(name: str, value: Any) -> Any:
    if not isinstance(value, Tensor) or isinstance(value, FakeTensor):
        return ("constant", name)
    content = value.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return ("constant", str(value.dtype), tuple(value.shape), hashlib.sha256(content).hexdigest())


def _alike(node: fx.Node, source: Any) -> bool:
    """Whether a copy has the type and shape of what it was copied from."""
    if not isinstance(source, fx.Node):
        return False
    a, b = node.meta.get("val"), source.meta.get("val")
    both = isinstance(a, Tensor) and isinstance(b, Tensor)
    return both and a.dtype == b.dtype and a.shape == b.shape


def _draws(node: fx.Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
