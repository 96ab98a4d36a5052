"""The route by StableHLO: torchax makes a function of JAX of a program, which JAX writes down.

It needs no data either: JAX is told shapes and types. What the model holds becomes named parameters
in a function around JAX's. Only for workers: it imports JAX, and MLIR. XLA is given the same
function (by_xla.py), so that either says of an operation that it stands in the way.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind

from assay_worker.failure import Explained
from assay_worker.passes.base import Pass
from assay_worker.route import PARAMETER_SCOPE, Route
from assay_worker.trail import Trail

_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2", "JAX_PLATFORMS": "cpu"}
# The name of their function inside of the module; `main` is the one around it.
_INNER = "assay_inner"


class NotWritten(Explained):
    """An operation stands in the way; the message names it."""


def load_torchax() -> None:
    """Imports torchax, and JAX with all types of torch's. Starts no thread."""
    os.environ |= _QUIET
    with _any_overload():
        import_module("torchax.export")
    import jax

    jax.config.update("jax_enable_x64", True)


def import_torchax() -> None:
    """Loads torchax with its operations, and JAX with its threads."""
    load_torchax()
    import torchax

    torchax.default_env()  # which registers the operations


@contextmanager
def _any_overload() -> Iterator[None]:
    """torchax names overloads of operations that this torch may no longer have, while it is
    imported; they are what it never meets then."""
    packet = torch._ops.OpOverloadPacket
    as_it_is = packet.__getattr__

    def found(self: Any, name: str) -> Any:
        try:
            return as_it_is(self, name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return object()

    packet.__getattr__ = found
    try:
        yield
    finally:
        packet.__getattr__ = as_it_is


def take_apart(program: ExportedProgram, passes: Sequence[Pass], trail: Trail) -> ExportedProgram:
    """No pass of assay's has a say."""
    import_torchax()
    return decomposed(program)


def decomposed(program: ExportedProgram) -> ExportedProgram:
    """By torch's own rules, then by torchax's. Starts no thread."""
    from torchax.decompositions import DECOMPOSITIONS

    return program.run_decompositions().run_decompositions(DECOMPOSITIONS)


def write(model: torch.nn.Module, program: ExportedProgram, file: BinaryIO) -> None:
    """Raises NotWritten of an operation that torchax has not got, or that JAX does not take."""
    import_torchax()
    import jax
    from torchax.ops import mappings

    of_jax = function_of(program)
    constants = [mappings.t2j(each.detach()) for each in of_jax.constants]

    def function(parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        return of_jax.call(parameters, constants, inputs)

    with torch.no_grad():
        # Unused ones stay: who calls the program knows it by torch's signature.
        lowered = jax.jit(function, keep_unused=True).lower(
            [_abstract(value) for _, value in of_jax.parameters],
            [_abstract(value) for value in of_jax.inputs],
        )
    around(lowered.as_text(), [name for name, _ in of_jax.parameters], file)


def around(program: str, names: Sequence[str], file: BinaryIO) -> None:
    """Writes a program whose `main` takes what is named before its inputs, with a function around
    that which loads it."""
    from iree.compiler.ir import Context, Location, Module

    with Context(), Location.unknown():
        text = _with_parameters(Module.parse(program), names)
        Module.parse(text).operation.print(file=file, binary=True)


@dataclass(frozen=True)
class Function:
    """A program as a function of JAX's, and what it is called with."""

    call: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Any]
    parameters: list[tuple[str, Tensor]]  # what a state_dict has: names, and tensors without data
    constants: list[Tensor]  # what has values in the program alone, buffers among it
    constant_names: list[str]
    inputs: list[Tensor]  # without data


def function_of(program: ExportedProgram) -> Function:
    """Calling it raises NotWritten, which names the operation that stands in the way."""
    import torchax.export

    parameters: list[tuple[str, Tensor]] = []
    constants: list[Tensor] = []
    constant_names: list[str] = []
    inputs: list[Tensor] = []
    places: list[tuple[str, Any]] = []  # of each argument of the graph
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    for spec, node in zip(program.graph_signature.input_specs, placeholders, strict=True):
        if spec.kind == InputKind.USER_INPUT and isinstance(spec.arg, ConstantArgument):
            places.append(("value", spec.arg.value))
        elif spec.kind == InputKind.USER_INPUT:
            places.append(("input", len(inputs)))
            inputs.append(node.meta["val"])
        elif spec.kind == InputKind.CONSTANT_TENSOR or spec.persistent is False:
            places.append(("constant", len(constants)))
            constants.append(program.constants[str(spec.target)])
            constant_names.append(str(spec.target))
        else:
            places.append(("parameter", len(parameters)))
            parameters.append((str(spec.target), node.meta["val"]))

    class Interpreter(torchax.export.JaxInterpreter):  # type: ignore[misc]
        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            try:
                return super().call_function(target, args, kwargs)
            except Exception as error:
                said = str(error).partition("\n")[0] or type(error).__name__
                if isinstance(error, AssertionError) and error.args[:1] == (target,):
                    said = "torchax has no such operation"
                raise NotWritten(f"{target}: {said}") from error

    def call(*given: Sequence[Any]) -> Any:
        kinds = dict(zip(("parameter", "constant", "input"), given, strict=True))
        arguments = [kinds[kind][at] if kind in kinds else at for kind, at in places]
        interpreter = Interpreter(program.graph_module)
        # The interpreter's own words would stand before the operation's name.
        interpreter.extra_traceback = False
        return interpreter.run(*arguments, enable_io_processing=False)

    return Function(call, parameters, constants, constant_names, inputs)


def _abstract(value: Tensor) -> Any:
    import jax
    from torchax.ops import mappings

    return jax.ShapeDtypeStruct(tuple(value.shape), mappings.t2j_dtype(value.dtype))


def _with_parameters(module: Any, names: Sequence[str]) -> str:
    """The module's text, with a `main` that takes inputs alone and loads what is named."""
    from iree.compiler.ir import StringAttr

    inner = next(op for op in module.body if op.attributes["sym_name"].value == "main")
    inner.attributes["sym_name"] = StringAttr.get(_INNER)
    inner.attributes["sym_visibility"] = StringAttr.get("private")
    types = [str(each) for each in inner.type.inputs]
    results = [str(each) for each in inner.type.results]
    held, taken = types[: len(names)], types[len(names) :]
    # IREE takes no parameter whose type says that it has no sign; its bytes are the same.
    loaded = [type_.replace("xui", "xi").replace("<ui", "<i") for type_ in held]
    lines = [
        f'util.global private @parameter_{n} = #flow.parameter.named<"{PARAMETER_SCOPE}"'
        f"::{_quoted(name)}> : {type_}"
        for n, (name, type_) in enumerate(zip(names, loaded, strict=True))
    ]
    arguments = ", ".join(f"%in_{n}: {type_}" for n, type_ in enumerate(taken))
    lines.append(f"func.func public @main({arguments}) -> ({', '.join(results)}) {{")
    for n, (type_, as_loaded) in enumerate(zip(held, loaded, strict=True)):
        value = f"%held_{n}" if type_ == as_loaded else f"%bytes_{n}"
        lines.append(f"  {value} = util.global.load immutable @parameter_{n} : {as_loaded}")
        if type_ != as_loaded:
            convert = f"stablehlo.bitcast_convert {value} : ({as_loaded}) -> {type_}"
            lines.append(f"  %held_{n} = {convert}")
    operands = [f"%held_{n}" for n in range(len(held))] + [f"%in_{n}" for n in range(len(taken))]
    signature = f"({', '.join(types)}) -> ({', '.join(results)})"
    call = f"func.call @{_INNER}({', '.join(operands)}) : {signature}"
    returned = [f"%out#{n}" if len(results) > 1 else "%out" for n in range(len(results))]
    count = f":{len(results)}" if len(results) > 1 else ""
    lines += [f"  %out{count} = {call}", f"  return {', '.join(returned)} : {', '.join(results)}"]
    lines += ["}"]
    text, mark, values = str(module).partition("\n{-#")  # of large constants
    return text.rstrip().removesuffix("}") + "\n".join([*lines, "}", ""]) + mark + values


def _quoted(name: str) -> str:
    """As MLIR writes strings."""
    return '"' + name.replace("\\", "\\5C").replace('"', "\\22") + '"'


STABLEHLO = Route(passes=(), take_apart=take_apart, write=write)
