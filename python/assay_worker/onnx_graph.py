"""A graph of ONNX as a list of steps in torch.

What follows from shapes alone, or from constants, is computed once, by onnx's own evaluator, while
the plan is made: tensors without data go through the graph then. So steps have plain numbers where
torch wants them, and an exporter sees no values that it would not know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from assay_worker.failure import Explained, text_of
from assay_worker.onnx_operations import (
    RULES,
    Known,
    Node,
    Unplanned,
    computed,
    known_of,
    torch_type,
)

# Constants of more elements are held as tensors.
_MOST_KNOWN = 1024
# Places of inputs that have to be known: lists of scales.
_ALWAYS_KNOWN = {"Resize": (1, 2), "Upsample": (1,)}
# What rules and torch raise of inputs that they do not take.
_RULE_ERRORS = (
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    TypeError,
    AttributeError,
    KeyError,
)
# Operations that hand on what an index is.
_KEEP_INDICES = frozenset(
    ("Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Transpose", "Expand")
)


class BadGraph(Explained):
    """An operation stands in the way; the message names it."""


@dataclass(frozen=True)
class _Step:
    node: Node
    inputs: list[str | Known | None]  # a value's name, or what is known; None: left out
    outputs: list[str]


def _type_of(array: "numpy.ndarray[Any, Any]") -> torch.dtype:
    found: torch.dtype = getattr(torch, array.dtype.name)
    return found


def tensor_of(array: "numpy.ndarray[Any, Any]") -> Tensor:
    """With its own memory."""
    if array.dtype.name == "bfloat16":  # which numpy has not got itself
        return torch.from_numpy(array.view(numpy.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


class Plan:
    """The steps of a graph for inputs of these shapes, and what it holds."""

    def __init__(self, model: Any, inputs: Sequence[tuple[str, torch.dtype, list[int]]]) -> None:
        self.weights: dict[str, numpy.ndarray[Any, Any]] = {}
        # Of inputs that pick rows of a table: how many rows there are.
        self.below: dict[str, int] = {}
        self._known: dict[str, numpy.ndarray[Any, Any]] = {}
        self._steps: list[_Step] = []
        self._inputs = [name for name, _, _ in inputs]
        self._outputs = [each.name for each in model.graph.output]
        self._versions = {each.domain or "ai.onnx": each.version for each in model.opset_import}
        self._indices: dict[str, set[str]] = {}  # inputs whose values it has
        self._hold(model.graph)
        # Whatever is in force where the file is loaded.
        without_modes = torch.utils._python_dispatch._disable_current_modes()
        with without_modes, torch._C.DisableTorchFunction(), FakeTensorMode():
            values = {
                name: torch.empty(array.shape, dtype=_type_of(array))
                for name, array in self.weights.items()
            }
            for name, dtype, shape in inputs:
                values[name] = torch.empty(shape, dtype=dtype)
                self._indices[name] = {name}
            self._plan(model.graph, values)
        for name in self._outputs:
            if name not in values:
                raise BadGraph(f"its output '{name}' depends on no input")

    def run(self, weights: Mapping[str, Tensor], inputs: Sequence[Tensor]) -> list[Tensor]:
        """What the graph gives for these inputs."""
        values = dict(weights) | dict(zip(self._inputs, inputs, strict=True))
        # As plain as can be: torch.compile reads it.
        for step in self._steps:
            given = [values[each] if isinstance(each, str) else each for each in step.inputs]
            for name, result in zip(step.outputs, computed(step.node, given), strict=False):
                values[name] = result
        return [values[name] for name in self._outputs]

    def _hold(self, graph: Any) -> None:
        from onnx import numpy_helper

        known = {
            node.input[place]
            for node in graph.node
            for place in _ALWAYS_KNOWN.get(node.op_type, ())
            if place < len(node.input)
        }
        for each in graph.initializer:
            if torch_type(each.data_type) is None:
                raise BadGraph(f"its tensor '{each.name}' is of a type that is not taken")
            array = numpy_helper.to_array(each)
            is_float = _type_of(array).is_floating_point
            held = array.size > 1 if is_float else array.size > _MOST_KNOWN
            (self.weights if held and each.name not in known else self._known)[each.name] = array

    def _plan(self, graph: Any, values: dict[str, Tensor]) -> None:
        for proto in graph.node:
            node = Node.of(proto, self._versions.get(proto.domain or "ai.onnx", 1))
            names = list(proto.input)
            if node.kind == "If":
                self._plan_if(proto, node, values)
                continue
            given = [self._value_of(name, values, node) for name in names]
            if node.draws:
                raise BadGraph(f"{node.words} draws at random: it can't be judged")
            is_known = all(not isinstance(each, Tensor) for each in given)
            if is_known and self._fold(proto, values):
                continue
            results = _results(node, given)
            outputs = list(proto.output)
            if not isinstance(results[0], Tensor):  # of shapes alone
                self._add_known(outputs[0], _array_of(results[0]), values)
                continue
            inputs = [
                name if isinstance(each, Tensor) else each
                for name, each in zip(names, given, strict=True)
            ]
            self._steps.append(_Step(node, inputs, outputs))
            for name, result in zip(outputs, results, strict=False):
                self._add_value(name, result, values)
            self._note_indices(node, names, given)

    # Branches beside each other may give what they compute the same names: the last one counts.
    def _add_value(self, name: str, value: Tensor, values: dict[str, Tensor]) -> None:
        self._known.pop(name, None)
        self._indices.pop(name, None)
        values[name] = value

    def _add_known(self, name: str, array: Any, values: dict[str, Tensor]) -> None:
        values.pop(name, None)
        self._indices.pop(name, None)
        self._known[name] = array

    def _value_of(self, name: str, values: Mapping[str, Tensor], node: Node) -> Any:
        if name and name not in values and name not in self._known:
            raise BadGraph(f"{node.words} reads '{name}', which nothing before it gives")
        if not name:
            return None
        found = values.get(name)
        return known_of(self._known[name]) if found is None else found

    def _fold(self, proto: Any, values: dict[str, Tensor]) -> bool:
        """Computes what depends on no tensor, unless it is large: a step does it then."""
        from onnx import helper
        from onnx.reference import ReferenceEvaluator

        names = [name for name in proto.input if name]
        graph = helper.make_graph(
            [proto],
            "one",
            [helper.make_empty_tensor_value_info(name) for name in dict.fromkeys(names)],
            [helper.make_empty_tensor_value_info(name) for name in proto.output if name],
        )
        opsets = [
            helper.make_opsetid("" if domain == "ai.onnx" else domain, version)
            for domain, version in self._versions.items()
        ]
        evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=opsets))
        try:
            found = evaluator.run(None, {name: self._known[name] for name in names})
        except Exception as error:  # of numpy's limits, say; a rule has others
            if proto.op_type in RULES:
                return False
            raise BadGraph(f"{proto.op_type}: onnx's evaluator fails: {text_of(error)}") from error
        if any(not isinstance(each, numpy.ndarray | numpy.generic) for each in found):
            raise BadGraph(f"{proto.op_type} gives what is no tensor")
        if any(each.size > _MOST_KNOWN for each in found) and proto.op_type in RULES:
            return False
        wanted = [name for name in proto.output if name]
        for name, each in zip(wanted, found, strict=True):
            self._add_known(name, numpy.asarray(each), values)
        return True

    def _plan_if(self, proto: Any, node: Node, values: dict[str, Tensor]) -> None:
        condition = self._value_of(proto.input[0], values, node)
        if isinstance(condition, Tensor):
            raise BadGraph(
                f"{node.words} asks what an input's value is: no program has such a branch"
            )
        branch = node.graph("then_branch" if condition.only else "else_branch")
        self._hold_known(branch, values)
        self._plan(branch, values)
        for name, inner in zip(proto.output, branch.output, strict=True):
            if inner.name in values:
                self._add_value(name, values[inner.name], values)
                same = Node("Identity", "", {}, node.version)
                self._steps.append(_Step(same, [inner.name], [name]))
            else:
                self._add_known(name, self._known[inner.name], values)

    def _hold_known(self, graph: Any, values: dict[str, Tensor]) -> None:
        from onnx import numpy_helper

        for each in graph.initializer:
            self._add_known(each.name, numpy_helper.to_array(each), values)

    def _note_indices(self, node: Node, names: Sequence[str], given: Sequence[Any]) -> None:
        """Follows which inputs are places in a table."""
        if node.kind == "Gather" and names[1] in self._indices:
            rows = given[0].shape[node.whole("axis", 0)]
            for name in self._indices[names[1]]:
                self.below[name] = min(rows, self.below.get(name, rows))
        if node.kind in _KEEP_INDICES and names[0] in self._indices:
            for output in node.outputs:
                self._indices[output] = self._indices[names[0]]


def _array_of(value: Known) -> "numpy.ndarray[Any, Any]":
    return numpy.array(value.numbers, dtype=numpy.int64).reshape(value.shape)


def _results(node: Node, given: Sequence[Any]) -> list[Any]:
    """What a step gives. Raises BadGraph, which names the operation."""
    if node.kind not in RULES:
        raise BadGraph(f"{node.words}: assay has no rule for this operation of ONNX")
    try:
        return computed(node, given)
    except Unplanned as reason:
        raise BadGraph(f"{node.words}: {reason}") from None
    except _RULE_ERRORS as error:
        raise BadGraph(f"{node.words}: {text_of(error).partition(chr(10))[0]}") from error
