"""The route by torch-mlir, which writes StableHLO of a program in torch's own front end of MLIR.

As in stablehlo.py, no data is needed: what the model holds becomes named parameters in a function
around torch-mlir's. Only for workers: it uses MLIR.
"""

import re
from collections.abc import Sequence
from typing import Any, BinaryIO

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind

from assay_worker.failure import Explained
from assay_worker.passes.base import Pass
from assay_worker.route import Route
from assay_worker.stablehlo import NotWritten, around
from assay_worker.trail import Trail

_TENSORS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
# What `torch_mlir.fx.export_and_import` runs for this.
_PIPELINES = (
    "func.func(torch-match-quantized-custom-ops)",
    "torchdynamo-export-to-torch-backend-pipeline",
    "torch-backend-to-stablehlo-backend-pipeline",
)


class NotInstalled(Explained):
    """The message says how to get it."""


def take_apart(program: ExportedProgram, passes: Sequence[Pass], trail: Trail) -> ExportedProgram:
    """By the rules that torch-mlir asks for. No pass of assay's has a say. Raises NotInstalled."""
    try:
        from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    except ModuleNotFoundError:
        raise NotInstalled(
            "torch-mlir is not there: pip install torch-mlir, which has a wheel for Python 3.11"
        ) from None

    return program.run_decompositions(get_decomposition_table())


def write(model: torch.nn.Module, program: ExportedProgram, file: BinaryIO) -> None:
    """Raises NotWritten of an operation that torch-mlir has not got."""
    from torch_mlir import fx
    from torch_mlir.passmanager import PassManager

    graph_module, names = _stateless(program)
    errors: list[str] = []

    def take(told: Any) -> bool:
        if str(told.severity).endswith("ERROR"):
            errors.append(str(told.message))
        return True  # nobody else is to print it

    failure: Exception | None = None
    try:
        module = fx.stateless_fx_import(graph_module, output_type="raw")
        with module.context as context:
            # Passes may tell of an error and go on.
            context.emit_error_diagnostics = True
            context.attach_diagnostic_handler(take)
            for pipeline in _PIPELINES:
                PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    except Exception as error:  # of a class that each version has elsewhere
        failure = error
        errors.append(str(error).strip() or type(error).__name__)
    if errors:
        # An operation stands behind that, whole.
        said = re.split(r": [\"%]|\n", errors[0])[0]
        raise NotWritten(f"torch-mlir: {said}") from failure
    around(str(module), names, file)


def _stateless(program: ExportedProgram) -> tuple[torch.fx.GraphModule, list[str]]:
    """Its graph, which takes what the model holds before its inputs, and the names of the former.

    What has values in the program already is part of it.
    """
    graph = torch.fx.Graph()
    held: dict[str, Any] = {}
    kept: dict[torch.fx.Node, Any] = {}
    constants: dict[torch.fx.Node, str] = {}
    names: list[str] = []
    inputs: list[torch.fx.Node] = []
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    for spec, node in zip(program.graph_signature.input_specs, placeholders, strict=True):
        if spec.kind == InputKind.USER_INPUT and isinstance(spec.arg, ConstantArgument):
            kept[node] = spec.arg.value
        elif spec.kind == InputKind.USER_INPUT:
            inputs.append(node)
        elif spec.kind not in _TENSORS:
            raise NotWritten(f"torch-mlir: an input of the kind {spec.kind.name}")
        elif spec.kind == InputKind.CONSTANT_TENSOR or spec.persistent is False:
            constants[node] = f"constant_{len(held)}"
            held[constants[node]] = program.constants[str(spec.target)].detach()
        else:
            names.append(str(spec.target))
            kept[node] = graph.node_copy(node)
    for node in inputs:
        kept[node] = graph.node_copy(node)

    def of(node: torch.fx.Node) -> Any:
        # Another node for each use: torch-mlir takes none twice.
        return graph.get_attr(constants[node]) if node in constants else kept[node]

    for node in program.graph.nodes:
        if node.op == "get_attr":  # of control flow: the graph of a branch
            raise NotWritten(f"torch-mlir: control flow ({node.target})")
        if node.op != "placeholder":
            kept[node] = graph.node_copy(node, of)
    return torch.fx.GraphModule(held, graph), names


TORCH_MLIR = Route(passes=(), take_apart=take_apart, write=write)
