"""A program of torch.export as a list of calls in torch, from what its file says of it in JSON.

torch's own way back makes Python code of a program, evaluates texts, and calls whatever of torch's
has the name that a node gives. Here a node is a call of one of torch's own operations, or nothing.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from assay_worker.graph_file import BadGraphFile, GraphInput, require_known
from assay_worker.pt2_archive import TYPES, damaged, type_of

_ATEN = "torch.ops.aten."
_NAMESPACES = (_ATEN, "torch.ops.prims.")
# Operations of torch's own that open files.
_NOT_TAKEN = frozenset(("from_file",))
# What says no more than what shapes and types are; a type is another in double.
_SAYS_NOTHING = ("_assert_", "sym_constrain_range")
# Of sizes.
_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    **{
        f"_operator.{name}": getattr(operator, name)
        for name in (
            "add and_ eq floordiv ge getitem gt le lshift lt mod mul ne neg or_ pos pow rshift "
            "sub truediv"
        ).split()
    },
    "math.trunc": math.trunc,
    "torch.sym_float": float,
    "torch.sym_int": int,
    "torch.sym_max": max,
    "torch.sym_min": min,
    "torch.sym_not": operator.not_,
    "torch._sym_sqrt": math.sqrt,
    "torch.sym_ite": lambda condition, then, other: then if condition else other,
}
_MEMORY_FORMATS = {
    1: torch.contiguous_format,
    2: torch.channels_last,
    3: torch.channels_last_3d,
    4: torch.preserve_format,
}
# Operations that hand on what an index is.
_KEEP_INDICES = frozenset(
    """_to_copy alias clone contiguous detach expand flatten permute reshape select slice squeeze to
    transpose unsqueeze view""".split()
)
# Which pick rows of a table: the arguments that are the table and the places.
_PICK = {
    "embedding": ("weight", "indices"),
    "index": ("self", "indices"),
    "index_select": ("self", "index"),
}
# Inputs that the archive holds, by their kind: where their name in it stands.
_HELD_AS = {
    "parameter": "parameter_name",
    "buffer": "buffer_name",
    "tensor_constant": "tensor_constant_name",
}


@dataclass(frozen=True)
class _Ref:
    """The name of a value, in the place of an argument."""

    name: str


@dataclass(frozen=True)
class _Call:
    function: Callable[..., Any]
    arguments: Sequence[Any]
    named: Mapping[str, Any]
    outputs: Any  # names in lists, as the results are
    done: list[str] = field(default_factory=list)  # values that nobody asks for any more


class Graph:
    """Calls, with the names of what goes in and comes out."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.inputs = [_name_of(each) for each in told["inputs"]]
        self.outputs = [_argument(each) for each in told["outputs"]]
        self.is_single = bool(told.get("is_single_tensor_return"))
        self.calls = [call for node in told["nodes"] if (call := _call(node))]
        kept = set(_names(self.outputs))
        wanted = set(kept)  # and given before
        for call in reversed(self.calls):
            taken, bound = _names([call.arguments, *call.named.values()]), _bound(call.outputs)
            used = {*taken, *bound}
            call.done.extend(sorted(used - kept))
            kept |= used
            wanted = (wanted - set(bound)) | set(taken)
        if lacking := sorted(wanted - set(self.inputs)):
            raise ValueError(f"nothing gives its '{lacking[0]}'")

    def run(self, values: dict[str, Any]) -> list[Any]:
        """The outputs, for values of all inputs by their names. It keeps no more than it needs."""
        # As plain as can be: torch.compile reads it.
        for call in self.calls:
            arguments = [_filled(each, values) for each in call.arguments]
            named = {name: _filled(each, values) for name, each in call.named.items()}
            _bind(call.outputs, call.function(*arguments, **named), values)
            for name in call.done:
                del values[name]
        return [_filled(each, values) for each in self.outputs]

    def __call__(self, *values: Any) -> Any:
        """As a graph that is an argument of a call is called."""
        results = self.run(dict(zip(self.inputs, values, strict=True)))
        return results[0] if self.is_single else tuple(results)


class Plan:
    """What a program takes, holds and computes, for inputs of these sizes."""

    def __init__(self, program: Mapping[str, Any], sizes: dict[str, int]) -> None:
        with damaged("the program"):
            module = program["graph_module"]
            signature = module["signature"]
            self._graph = Graph(module["graph"])
            # Placeholders, and what they are called in the archive.
            self.held: dict[str, str] = {}
            self._inputs: list[str] = []
            for name, told in zip(self._graph.inputs, signature["input_specs"], strict=True):
                self._take_input(name, told)
            self._results: list[int] = []  # places among the outputs
            self._written: dict[int, str] = {}  # of others, the placeholder that each goes into
            for place, told in enumerate(signature["output_specs"]):
                self._take_output(place, told)
            if len(self._graph.outputs) != len(signature["output_specs"]):
                raise ValueError("its outputs are not those of its signature")
            self.inputs = self._shaped(module["graph"]["tensor_values"], program, sizes)

    def run(self, held: Mapping[str, Tensor], inputs: Sequence[Tensor]) -> list[Any]:
        """What the program gives; what it writes into inputs and buffers is written there."""
        given = {**held, **dict(zip(self._inputs, inputs, strict=True))}
        results = self._graph.run(dict(given))
        for place, name in self._written.items():
            given[name].copy_(results[place])
        return [results[place] for place in self._results]

    def _take_input(self, name: str, told: Mapping[str, Any]) -> None:
        ((kind, spec),) = told.items()
        if kind in _HELD_AS:
            own = spec[_HELD_AS[kind]]
            if not isinstance(own, str):
                raise ValueError(f"{own!r} is no name")
            self.held[name] = own
        elif kind == "user_input" and "as_tensor" in spec["arg"]:
            self._inputs.append(name)
        elif kind in ("user_input", "constant_input"):  # constants stand in the calls themselves
            if isinstance(_argument(spec["arg" if kind == "user_input" else "value"]), _Ref):
                raise BadGraphFile(f"its input '{name}' is a number that varies: give it a tensor")
        else:
            raise BadGraphFile(f"its input '{name}' is of the kind {kind}, which is not taken")

    def _take_output(self, place: int, told: Mapping[str, Any]) -> None:
        ((kind, spec),) = told.items()
        if kind == "user_output":
            self._results.append(place)
        elif kind == "user_input_mutation":
            self._written[place] = next(n for n in self._inputs if n == spec["user_input_name"])
        elif kind in ("buffer_mutation", "parameter_mutation"):
            held = spec[_HELD_AS[kind.removesuffix("_mutation")]]
            self._written[place] = next(n for n, own in self.held.items() if own == held)
        else:
            raise BadGraphFile(f"it returns something of the kind {kind}, which is not taken")

    def _shaped(
        self, tensors: Mapping[str, Any], program: Mapping[str, Any], sizes: dict[str, int]
    ) -> list[GraphInput]:
        metas = [tensors[name] for name in self._inputs]
        symbols = _symbols([each for meta in metas for each in meta["sizes"]])
        ranges = program.get("range_constraints", {})
        if len(symbols) == len(sizes) == 1:  # torch keeps no names: this is whose it is
            sizes = dict(zip(symbols, sizes.values(), strict=True))
        require_known(sizes, list(symbols))
        for name in symbols:
            if name in sizes:
                symbols[name] = sizes[name]
            least, most = (ranges.get(name, {}).get(key) for key in ("min_val", "max_val"))
            if not (least or 0) <= symbols[name] <= (symbols[name] if most is None else most):
                raise BadGraphFile(
                    f"it was exported for {name} from {least} to {most}, and not {symbols[name]}"
                )
        below = _below(self._graph, self._inputs, self._rows(tensors))
        found = []
        for name, meta in zip(self._inputs, metas, strict=True):
            shape = [_size(each, symbols) for each in meta["sizes"]]
            found.append(
                GraphInput(name, type_of(name, meta), shape, below.get(name, GraphInput.below))
            )
        return found

    def _rows(self, tensors: Mapping[str, Any]) -> dict[str, int]:
        """Of each tensor that it holds how many rows it has."""
        return {
            name: tensors[name]["sizes"][0]["as_int"]
            for name in self.held
            if tensors[name]["sizes"] and "as_int" in tensors[name]["sizes"][0]
        }


def _call(node: Mapping[str, Any]) -> _Call | None:
    target = node["target"]
    with damaged(target if isinstance(target, str) else "a node"):
        given = [(each["name"], _argument(each["arg"])) for each in node["inputs"]]
        outputs = [_output(each) for each in node["outputs"]]
        if target in _OF_NUMBERS:
            return _Call(_OF_NUMBERS[target], [value for _, value in given], {}, outputs[0])
        if target.startswith("torch.ops.higher_order."):
            function, arguments = _of_graphs(target, [value for _, value in given])
            is_one = len(outputs) == 1 and node.get("is_hop_single_tensor_return") is not False
            return _Call(function, arguments, {}, outputs[0] if is_one else outputs)
        operation = _operation(target)
        if operation is None:
            return None
        arguments, named = _by_schema(operation, dict(given))
        return _Call(operation, arguments, named, outputs[0] if len(outputs) == 1 else outputs)


def _operation(target: str) -> Any:
    """Of torch's own; None of one that computes nothing. Raises BadGraphFile for any other."""
    space = next((each for each in _NAMESPACES if target.startswith(each)), None)
    name, _, overload = target.removeprefix(space or "").partition(".")
    if space and name.startswith(_SAYS_NOTHING):
        return None
    packet = (
        getattr(getattr(torch.ops, space.split(".")[2]), name, None)
        if space and name.isidentifier() and name not in _NOT_TAKEN
        else None
    )
    found = getattr(packet, overload, None) if overload.isidentifier() else None
    # What has no kernel of the dispatcher's is of TorchScript: it opens files, say.
    if isinstance(found, torch._ops.OpOverload) and _is_dispatched(found):
        return found
    raise _not_taken(target)


def _not_taken(target: str) -> BadGraphFile:
    return BadGraphFile(
        f"it calls {target[:100]}, which is none of torch's own operations that are taken"
    )


def _is_dispatched(operation: Any) -> bool:
    return bool(torch._C._dispatch_has_kernel(operation.name()))


def _by_schema(operation: Any, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments as far as they go, and the others by name. No device: it is ours."""
    arguments: list[Any] = []
    named: dict[str, Any] = {}
    known = operation._schema.arguments
    if unknown := given.keys() - {each.name for each in known}:
        raise ValueError(f"it has no argument '{min(unknown)}'")
    for place, each in enumerate(known):
        if each.name not in given:
            continue
        value = given[each.name]
        if isinstance(value, torch.device) and each.has_default_value():
            continue
        if each.kwarg_only or place != len(arguments):
            named[each.name] = value
        else:
            arguments.append(value)
    return arguments, named


def _of_graphs(target: str, given: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """A call of a graph, around which something is turned on or off that is nothing here."""
    name = target.rpartition(".")[2]
    graphs = [n for n, each in enumerate(given) if isinstance(each, Graph)]
    is_plain = name == "wrap_with_set_grad_enabled" or (
        name == "wrap_with_autocast" and given[2] is False
    )
    if not is_plain or len(graphs) != 1:
        raise _not_taken(target)
    return given[graphs[0]], given[graphs[0] + 1 :]


def _argument(told: Mapping[str, Any]) -> Any:
    """A value, a _Ref to one, or lists of both."""
    ((kind, value),) = told.items()
    if kind == "as_none":
        return None
    if kind in ("as_int", "as_bool", "as_string", "as_ints", "as_bools", "as_strings"):
        return value
    if kind == "as_float":
        return float(value)
    if kind == "as_floats":
        return [float(each) for each in value]
    if kind == "as_tensor":
        return _Ref(value["name"])
    if kind == "as_tensors":
        return [_Ref(each["name"]) for each in value]
    if kind == "as_optional_tensor":
        return _argument(value)
    if kind == "as_optional_tensors":
        return [_argument(each) for each in value]
    if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
        return _symbolic(value)
    if kind in ("as_sym_ints", "as_sym_floats", "as_sym_bools"):
        return [_symbolic(each) for each in value]
    if kind == "as_scalar_type":
        return TYPES[value]
    if kind == "as_memory_format":
        return _MEMORY_FORMATS[value]
    if kind == "as_layout":
        return {7: torch.strided}[value]
    if kind == "as_device":
        return torch.device("cpu")
    if kind == "as_graph":
        return Graph(value["graph"])
    raise BadGraphFile(f"a call of it has an argument of the kind {kind}, which is not taken")


def _symbolic(told: Mapping[str, Any]) -> Any:
    ((kind, value),) = told.items()
    return _Ref(value) if kind == "as_name" else value


def _output(told: Mapping[str, Any]) -> Any:
    """A name, None for what nobody takes, or lists of them."""
    value = _argument(told)
    if isinstance(value, _Ref):
        return value.name
    if isinstance(value, list):
        return [each.name if isinstance(each, _Ref) else None for each in value]
    return None


def _name_of(told: Mapping[str, Any]) -> str:
    """Of an input: one without a name is never asked for."""
    value = _argument(told)
    return value.name if isinstance(value, _Ref) else f"constant {id(told)}"


def _names(values: Any) -> list[str]:
    if isinstance(values, _Ref):
        return [values.name]
    if isinstance(values, list):
        return [name for each in values for name in _names(each)]
    return []


def _bound(outputs: Any) -> list[str]:
    if isinstance(outputs, list):
        return [name for each in outputs for name in _bound(each)]
    return [] if outputs is None else [outputs]


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, _Ref):
        return values[value.name]
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    return value


def _bind(names: Any, results: Any, values: dict[str, Any]) -> None:
    if isinstance(names, str):
        values[names] = results
    elif isinstance(names, list) and names:
        for name, result in zip(names, results, strict=True):
            _bind(name, result, values)


def _below(graph: Graph, inputs: Sequence[str], rows: Mapping[str, int]) -> dict[str, int]:
    """Of inputs that pick rows of tables: how many rows the smallest of these has."""
    comes_from: dict[str, set[str]] = {name: {name} for name in inputs}
    below: dict[str, int] = {}
    for call in graph.calls:
        if not isinstance(call.function, torch._ops.OpOverload):
            continue
        name = call.function._schema.name.partition("::")[2]
        known = [each.name for each in call.function._schema.arguments]
        given = {**dict(zip(known, call.arguments, strict=False)), **call.named}
        if name in _KEEP_INDICES and call.arguments and isinstance(call.outputs, str):
            from_first = _names(call.arguments[0])
            comes_from[call.outputs] = {x for n in from_first for x in comes_from.get(n, ())}
        table, places = (given.get(each) for each in _PICK.get(name, ("", "")))
        if isinstance(places, list):
            places = places[0] if places else None
        are_rows = given.get("dim", 0) == 0  # index_select picks along any dimension
        if isinstance(table, _Ref) and isinstance(places, _Ref) and table.name in rows and are_rows:
            for each in comes_from.get(places.name, ()):
                below[each] = min(below.get(each, rows[table.name]), rows[table.name])
    return below


def _symbols(sizes: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Names of sizes that vary, and what each was when the program was exported."""
    found: dict[str, int] = {}
    for each in sizes:
        if "as_expr" not in each:
            continue
        expression, hint = _parsed(each), each["as_expr"].get("hint") or {}
        if (name := _symbol(expression)) is not None:
            found[name] = hint.get("as_int", found.get(name, 1))
        for part in ast.walk(expression):
            if (name := _symbol(part)) is not None:
                found.setdefault(name, 1)
    return found


def _parsed(told: Mapping[str, Any]) -> ast.expr:
    expression: ast.expr = ast.parse(told["as_expr"]["expr_str"], mode="eval").body
    return expression


def _size(told: Mapping[str, Any], symbols: Mapping[str, int]) -> int:
    size = told["as_int"] if "as_int" in told else _computed(_parsed(told), symbols)
    if type(size) is not int or size < 0:
        raise ValueError(f"{size!r} is no size")
    return size


def _symbol(node: ast.AST) -> str | None:
    """The name in `Symbol('s77', positive=True)`, which is how sympy writes one."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    name = node.args[0]
    if node.func.id != "Symbol" or not isinstance(name, ast.Constant):
        return None
    return name.value if isinstance(name.value, str) else None


_OF_SIZES: dict[str, Callable[[Sequence[int]], int]] = {
    "Add": sum,
    "FloorDiv": lambda sizes: sizes[0] // sizes[1],
    "Integer": lambda sizes: sizes[0],
    "Max": max,
    "Min": min,
    "Mul": math.prod,
}


def _computed(node: ast.expr, symbols: Mapping[str, int]) -> int:
    """Of an expression as sympy writes it. Raises BadGraphFile for more than a few functions."""
    if (name := _symbol(node)) is not None:
        return symbols[name]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand, symbols)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in _OF_SIZES and node.args:
            return _OF_SIZES[node.func.id]([_computed(each, symbols) for each in node.args])
    raise BadGraphFile(f"a size of an input is {ast.unparse(node)[:100]}, which is not taken")
