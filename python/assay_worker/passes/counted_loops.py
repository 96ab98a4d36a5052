"""Imports a `while_loop` that counts from 0 to a constant as a counted loop of the compiler.

The importer's own translation is a loop with a condition on data: the compiler must then compute
the condition, wait for it, and branch, in every step. It also takes only carried values, so that
the weights that a step reads would be copied from step to step.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from iree.compiler.extras import fx_importer
from iree.compiler.ir import Block, FlatSymbolRefAttr, InsertionPoint, Location, Operation, Value
from torch.fx import GraphModule, Node

from assay_worker.passes.base import Note, Pass

aten = torch.ops.aten


@contextlib.contextmanager
def imported(note: Note) -> Iterator[None]:
    """Within it, the importer knows counted loops. Other loops are imported as ever.

    `note` is told of each loop.
    """

    class Noted(_Importer):
        __slots__ = ()

        def note(self, loop: CountedLoop) -> None:
            note([f"while_loop of {loop.steps} steps"])

    before = fx_importer.GraphNodeImporter
    fx_importer.GraphNodeImporter = Noted
    try:
        yield
    finally:
        fx_importer.GraphNodeImporter = before


@dataclass(frozen=True)
class CountedLoop:
    """`for index in range(steps): carried = body(index, *carried, *constant)`."""

    steps: int
    body: GraphModule
    carried: list[Node]
    constant: list[Node]


def counted_loop(node: Node) -> CountedLoop | None:
    """The counted loop that a `while_loop` node is, or None.

    It is one if its first carried value starts at 0, the body adds 1 to it, and the condition is
    that it is less than a constant.
    """
    condition_name, body_name, carried, constant = node.args
    module = node.graph.owning_module
    condition, body = (getattr(module, name.target) for name in (condition_name, body_name))
    steps = _limit(condition)
    if steps is None or not _is_zero(carried[0]) or not _counts(body):
        return None
    return CountedLoop(steps, body, list(carried[1:]), list(constant))


def _limit(condition: GraphModule) -> int | None:
    """N, where the condition is `index < N`."""
    index, result = _interface(condition)
    if _is_call(result, aten.lt.Scalar) and result.args[0] is index and type(result.args[1]) is int:
        return result.args[1]
    return None


def _counts(body: GraphModule) -> bool:
    index, results = _interface(body)
    following = results[0]
    return (
        _is_call(following, aten.add.Tensor, aten.add.Scalar)
        and following.args == (index, 1)
        and not following.kwargs
    )


def _is_zero(node: Any) -> bool:
    """Whether the node makes the scalar 0."""
    return (_is_call(node, aten.zeros.default) and list(node.args[0]) == []) or (
        _is_call(node, aten.full.default) and list(node.args[0]) == [] and node.args[1] == 0
    )


def _is_call(node: Any, *targets: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and node.target in targets


def _interface(module: GraphModule) -> tuple[Node, Any]:
    """The first argument of a graph, and what it returns."""
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    (returned,) = module.graph.output_node().args
    return placeholders[0], returned


class _Importer(fx_importer.GraphNodeImporter):  # type: ignore[misc]
    __slots__ = ()

    def note(self, loop: CountedLoop) -> None:
        """Is told of each counted loop."""

    def _import_hop_while_loop(self, loc: Location, node: Node, hop: Any) -> None:
        loop = counted_loop(node)
        if loop is None:
            super()._import_hop_while_loop(loc, node, hop)
            return
        self.note(loop)
        carried = [self._import_argument(loc, value) for value in loop.carried]
        # Read inside the loop as they are: they need not be carried through it.
        constant = [self._import_argument(loc, value) for value in loop.constant]
        types = [value.type for value in carried]
        with loc:
            steps = self._import_literal(loop.steps)
            always = self._import_literal(True)
            operands = [steps, always, *carried]
            operation = Operation.create("torch.prim.Loop", types, operands, regions=1)
            block = Block.create_at_start(operation.regions[0], [self._cc.torch_int_type, *types])
            with InsertionPoint(block):
                number, *values = block.arguments
                index = self._as_tensor(number)
                _, *results = self._call(loop.body, [index, *values, *constant])
                Operation.create("torch.prim.Loop.condition", [], [always, *results])
            final_index = self._as_tensor(steps)
        self._multi_result_nodes.add(node)
        for n, value in enumerate([final_index, *operation.results]):
            self.bind_node_value(node, value, n)

    def _as_tensor(self, number: Value) -> Value:
        scalar = self._cc.get_vtensor_type(torch.Size([]), torch.int64)
        return Operation.create("torch.prim.NumToTensor.Scalar", [scalar], [number]).result

    def _call(self, module: GraphModule, operands: list[Value]) -> list[Value]:
        """Calls the function that the importer has made of a graph."""
        name = self.fx_importer._graph_module_to_func_name[id(module)]
        _, returned = _interface(module)
        types = [self._cc.node_val_to_type(node) for node in returned]
        attributes = {"callee": FlatSymbolRefAttr.get(name)}
        return list(Operation.create("func.call", types, operands, attributes).results)


COUNTED_LOOPS = Pass(
    name="counted_loops",
    why="""The importer translates only loops that carry all that they read, and every loop as one
    whose condition is data, which the compiler computes and waits for in each step.""",
    importing=imported,
)
