"""ONNX files as problems (graph_file.py)."""

import re
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker.graph_file import BadGraphFile, GraphInput, GraphProblem, require_known, returned

# Before it, `axis` and `broadcast` say how Add and others broadcast: another meaning than now.
LEAST_OPSET = 7


def read(
    content: bytes, sizes: dict[str, int], data_name: str = "", data: bytes | memoryview = b""
) -> GraphProblem:
    """`data` is what lies beside the file. Raises BadGraphFile, or Unplanned of an operation."""
    model = _parse(content, data_name, data)
    inputs = _inputs(model, sizes)

    from assay_worker.onnx_graph import Plan, tensor_of

    plan = Plan(model, inputs)

    class Model(nn.Module):  # type: ignore[misc]
        """The graph, one operation after the other."""

        def __init__(self) -> None:
            super().__init__()
            self._names = _attribute_names(plan.weights)
            for name, value in plan.weights.items():
                tensor = tensor_of(value)
                if tensor.is_floating_point():
                    self.register_parameter(self._names[name], nn.Parameter(tensor, False))
                else:
                    self.register_buffer(self._names[name], tensor)

        def forward(self, *values: Tensor) -> Any:
            weights = {name: getattr(self, own) for name, own in self._names.items()}
            return returned(plan.run(weights, values))

        def as_onnx(self) -> bytes:
            """The file, with what the module holds now."""
            from onnx import numpy_helper

            for each in model.graph.initializer:
                if each.name in self._names:
                    held = getattr(self, self._names[each.name]).detach().cpu().numpy()
                    each.CopyFrom(numpy_helper.from_array(held, each.name))
            content: bytes = model.SerializeToString()
            return content

    return GraphProblem(
        Model,
        [
            GraphInput(name, dtype, shape, plan.below.get(name, GraphInput.below))
            for name, dtype, shape in inputs
        ],
    )


def _parse(content: bytes, data_name: str, data: bytes | memoryview) -> Any:
    try:
        import onnx
        from onnx import external_data_helper, inliner
    except ModuleNotFoundError:
        raise BadGraphFile(
            "reading an ONNX file needs the package onnx: pip install onnx onnxruntime onnxscript"
        ) from None
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_from_string(content)
    except DecodeError as error:
        raise BadGraphFile(f"it is no ONNX file, or is cut off: {error}") from None
    if not model.graph.node:
        raise BadGraphFile("it is no ONNX file: it holds no graph")
    outside = [
        each
        for each in external_data_helper._get_all_tensors(model)
        if external_data_helper.uses_external_data(each)
    ]
    for tensor in outside:
        _take_in(tensor, data_name, data)
    try:
        onnx.checker.check_model(model.SerializeToString() if outside else content)
    except onnx.checker.ValidationError as error:
        raise BadGraphFile(f"onnx.checker says: {str(error).partition(chr(10))[0]}") from None
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx") and each.version < LEAST_OPSET:
            raise BadGraphFile(
                f"it is written in operation set {each.version}, and those from {LEAST_OPSET} on "
                "are read: convert it by onnx.version_converter.convert_version(MODEL, 21)"
            )
    if model.functions:
        model = inliner.inline_local_functions(model)
    lift_constants(model)
    return model


def _take_in(tensor: Any, data_name: str, data: bytes | memoryview) -> None:
    """Gives the tensor the bytes that it has in the file beside."""
    from onnx import TensorProto

    where = {each.key: each.value for each in tensor.external_data}
    location = where.get("location", "").removeprefix("./")
    if not data_name or location != data_name:
        raise BadGraphFile(
            f"its weights lie in another file, '{location}', and beside FILE.onnx only "
            "FILE.onnx.data is read: write it as one, by onnx.save(onnx.load(FILE), OTHER_FILE)"
        )
    try:
        offset = int(where.get("offset", "0"))
        length = int(where.get("length", str(len(data) - offset)))
    except ValueError:
        raise BadGraphFile(f"it does not say where '{tensor.name}' lies in '{location}'") from None
    if offset < 0 or length < 0 or offset + length > len(data):
        raise BadGraphFile(
            f"'{location}' has {len(data)} bytes, and '{tensor.name}' would end behind them: "
            "it is cut off, or of another graph"
        )
    tensor.raw_data = bytes(data[offset : offset + length])
    tensor.ClearField("external_data")
    tensor.data_location = TensorProto.DEFAULT


def lift_constants(model: Any) -> None:
    """Constants among the graph's operations become initializers, which are held by name."""
    kept = []
    for node in model.graph.node:
        tensors = [each for each in node.attribute if each.name == "value"]
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx") and tensors:
            tensors[0].t.name = node.output[0]
            model.graph.initializer.append(tensors[0].t)
        else:
            kept.append(node)
    del model.graph.node[:]
    model.graph.node.extend(kept)


def _inputs(model: Any, sizes: dict[str, int]) -> list[tuple[str, torch.dtype, list[int]]]:
    """Of each input: its name, type and shape, with 1 for dimensions that nobody gives a size."""
    from onnx import TensorProto

    from assay_worker.onnx_operations import torch_type

    held = {each.name for each in model.graph.initializer}
    wanted = [each for each in model.graph.input if each.name not in held]
    names = list(
        dict.fromkeys(
            dim.dim_param
            for each in wanted
            for dim in each.type.tensor_type.shape.dim
            if dim.dim_param
        )
    )
    require_known(sizes, names)
    found = []
    for each in wanted:
        if not each.type.HasField("tensor_type"):
            raise BadGraphFile(f"its input '{each.name}' is no tensor")
        kind = each.type.tensor_type
        dtype = torch_type(kind.elem_type)
        if dtype is None:
            word = TensorProto.DataType.Name(kind.elem_type)
            raise BadGraphFile(f"its input '{each.name}' is of {word}, a type that is not taken")
        if not kind.HasField("shape"):
            raise BadGraphFile(f"its input '{each.name}' has no shape: give the file one")
        shape = [_size(dim, sizes) for dim in kind.shape.dim]
        found.append((each.name, dtype, shape))
    return found


def _size(dim: Any, sizes: dict[str, int]) -> int:
    if not dim.HasField("dim_value"):
        return sizes.get(dim.dim_param, 1)
    # Older exporters write -1 for what has no size.
    return int(dim.dim_value) if dim.dim_value >= 0 else 1


def _attribute_names(names: Iterable[str]) -> dict[str, str]:
    """For each name one that a module's attribute can have."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base = own = "held_" + re.sub(r"\W", "_", name)
        count = 1
        while own in taken:
            count += 1
            own = f"{base}_{count}"
        taken.add(own)
        found[name] = own
    return found
