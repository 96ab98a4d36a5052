"""The job `export`: a workload file to MLIR, without the data.

The model and its inputs are built as fake tensors, which have shapes and no memory, and weights
become named parameters: what needs gigabytes to run needs milliseconds to export. The steps stand
in `export`, in order, each under the failure class it is blamed for.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import torch
from iree.turbine import aot
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from assay_worker import dialect, kernelbench
from assay_worker.decompose import decompose
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.passes import PASSES
from assay_worker.passes.base import Knows, Pass
from assay_worker.protocol import Message, ProtocolError
from assay_worker.signature import describe_inputs, describe_outputs, describe_parameters
from assay_worker.trail import Trail

# The scope of every weight in the MLIR: #flow.parameter.named<"model"::"layer.weight">.
PARAMETER_SCOPE = "model"


def answer(job: Message, descriptors: list[int]) -> Message:
    """Does one job {"job": "export", "path", "mode": "eval" | "train", "precision": "f32"}.

    "without" may list passes to leave out. `descriptors` are [the file's bytes, an empty file for
    the MLIR]; both are closed. Returns the final answer: `ok`, `failed` or `unsupported`. Raises
    ProtocolError for a job that is none.
    """
    if len(descriptors) != 2 or not isinstance(job.get("path"), str):
        raise ProtocolError("an export needs a path and two descriptors: source and MLIR")
    if job.get("mode") not in ("eval", "train"):
        raise ProtocolError(f"an export in the mode {job.get('mode')!r}: 'eval' or 'train'")
    with open(descriptors[0], "rb") as source, open(descriptors[1], "wb") as mlir:
        try:
            if job.get("precision") != "f32":
                raise Unsupported(f"the precision {job.get('precision')!r}: 'f32' is exported")
            source.seek(0)  # the offset is shared with assay, which has just written the file
            passes = [each for each in PASSES if each.name not in job.get("without", ())]
            ok = export(source.read(), job["path"], job["mode"] == "train", mlir, passes)
        except (Failed, Unsupported) as finding:
            return finding.answer()
    return {"final": True, "ok": ok}


def export(
    source: bytes, path: str, train: bool, mlir: Any, passes: Sequence[Pass] = PASSES
) -> Message:
    """Writes the MLIR text to the binary file `mlir`; returns the description of the program.

    The text is a function of the arguments alone: no path, time or address gets into it.
    Raises Failed or Unsupported.
    """
    # Values that exist before the model, such as a table at the top of the file, stay real.
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    trail = Trail()
    with torch.no_grad():
        with blame("load", path):
            problem = kernelbench.load(source, path)
        with blame("setup", path), fake:
            model = problem.build().train(train)
            inputs = _separate(problem.inputs())
        described = describe_inputs(inputs)
        with blame("export", path), fake:
            _reopen_output()
            program = trace(model, inputs, passes, dialect.knows, trail)
        _require_values(program)
        outputs = describe_outputs(program)
        with blame("import", path), ExitStack() as importing:
            for each in passes:
                importing.enter_context(each.importing())
            aot.externalize_module_parameters(model, external_scope=PARAMETER_SCOPE)
            aot.export(program).mlir_module.print(file=mlir, binary=True)
            mlir.flush()
            parameters = describe_parameters(model)
    return {
        "inputs": described,
        "outputs": outputs,
        "parameters": parameters,
        "mlir_bytes": os.fstat(mlir.fileno()).st_size,
        **trail.describe([each.name for each in passes]),
    }


def trace(
    model: torch.nn.Module, inputs: list[Any], passes: Sequence[Pass], knows: Knows, trail: Trail
) -> ExportedProgram:
    """Traces `model` under the fake tensor mode in force and takes it through `passes`.

    `knows` says which operations the compiler's dialect has.
    """
    for each in passes:
        trail.changed(each.name, each.prepare(model))
    with ExitStack() as tracing:
        for each in passes:
            tracing.enter_context(each.tracing())
        # Non-strict: strict tracing took 43 s on a file that takes 0.1 s this way.
        program = torch.export.export(model, tuple(inputs), strict=False)
    program = decompose(program, passes, knows, trail)
    for each in passes:
        trail.changed(each.name, each.rewrite(program))
    return program


def _reopen_output() -> None:
    """Torch asks sys.stdout whether it is a terminal, and a workload may have closed it."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        if getattr(getattr(sys, name), "closed", True):
            setattr(sys, name, open(descriptor, "w", buffering=1, closefd=False))


def _separate(inputs: list[Any]) -> list[Any]:
    """Gives a tensor that is passed twice a second identity.

    Otherwise tracing merges the two arguments, and `x - y` becomes `y - y` for all later inputs.
    """
    seen: set[int] = set()

    def separate(tensor: torch.Tensor) -> torch.Tensor:
        fresh = tensor.clone() if id(tensor) in seen else tensor
        seen.add(id(tensor))
        return fresh

    separated: list[Any] = pytree.tree_map_only(torch.Tensor, separate, inputs)
    return separated


def _require_values(program: ExportedProgram) -> None:
    """Raises Unsupported when the program reads a constant whose values were never computed."""
    placeholders = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    for spec in program.graph_signature.input_specs:
        constant = spec.kind == InputKind.CONSTANT_TENSOR or spec.persistent is False
        if not constant or not placeholders[spec.arg.name].users:
            continue
        if isinstance(program.constants.get(spec.target), FakeTensor):
            name = spec.target.rpartition(".")[2]
            raise Unsupported(
                f"`{spec.target}` is computed while the model is built, which happens without data "
                f"here: make it a parameter or a persistent buffer, register_buffer('{name}', ...)"
            )
