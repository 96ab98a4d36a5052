"""The compiler onnxruntime: ONNX Runtime runs it on the CPU, a file in ONNX itself, or what torch
exports as ONNX."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker.compile_parts import (
    Call,
    Costs,
    NotTaken,
    OnlyTensors,
    counted,
    exported,
    require_functional,
)
from assay_worker.failure import chain, text_of
from assay_worker.left_program import LeftProgram


def by_onnxruntime(
    model: torch.nn.Module, arguments: Sequence[Any], costs: Costs, _: LeftProgram | None
) -> Call:
    """Raises NotTaken of a type that NumPy lacks, or an operation that torch.onnx has not."""
    import onnxruntime

    given = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
    if any(each.dtype == torch.bfloat16 for each in (*given, *model.parameters())):
        raise NotTaken("onnxruntime is called with NumPy's arrays here, which have no bf16")
    only_tensors = OnlyTensors(model)
    is_in_onnx = hasattr(model, "as_onnx")
    with counted(costs, "export_ns"):
        content = model.as_onnx() if is_in_onnx else _in_onnx(only_tensors, arguments)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with counted(costs, "compile_ns"):
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]

    def call(*arguments: Any) -> Any:
        leaves = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
        values = [leaf.detach().contiguous().numpy() for leaf in leaves]
        given = session.run(None, dict(zip(names, values, strict=True)))
        results = [torch.from_numpy(each) for each in given]
        if is_in_onnx:
            return results[0] if len(results) == 1 else tuple(results)
        return only_tensors.results.around(results)

    return call


def _in_onnx(model: torch.nn.Module, arguments: Sequence[Any]) -> bytes:
    program = exported(model, arguments)
    require_functional(program.run_decompositions({}))
    try:
        in_onnx = torch.onnx.export(program, dynamo=True, verbose=False)
    except torch.onnx.errors.OnnxExporterError as error:
        # Its own first lines are advice; what led to it says which operation.
        inner = text_of(list(chain(error))[-1])
        raise NotTaken("torch.onnx: " + inner.strip().partition("\n")[0]) from error
    assert in_onnx is not None
    content: bytes = in_onnx.model_proto.SerializeToString()
    return content
