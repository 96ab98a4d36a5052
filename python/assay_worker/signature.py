"""Describes what goes into a program and what comes out, in assay's words for element types."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, OutputKind, TensorArgument
from torch.utils import _pytree as pytree

from assay_worker.dynamic_sizes import size_now
from assay_worker.failure import Unsupported
from assay_worker.protocol import Message

# Keeps a description far below the limit of a frame, and tracing, which is quadratic, to seconds.
MAX_LEAVES = 1024
MAX_VALUE_CHARACTERS = 128

DTYPE_WORDS = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint64: "u64",
    torch.uint32: "u32",
    torch.uint16: "u16",
    torch.uint8: "u8",
    torch.bool: "bool",
    torch.complex64: "c64",
    torch.complex128: "c128",
}


def describe_inputs(inputs: Sequence[Any]) -> list[Message]:
    """The flattened arguments of `forward`, in the order of the program's own.

    A tensor is {"shape": [elements per dimension], "dtype": word}. What else `forward` may be given
    is {"scalar": "int" | "float" | "bool" | "str" | "none", "value": as Python writes it}: it is
    built into the program, which takes no argument for it. Raises Unsupported for anything else.
    """
    leaves = pytree.tree_leaves(list(inputs))
    _require_few("inputs", len(leaves))
    return [_input(f"input {n}", leaf) for n, leaf in enumerate(leaves)]


def describe_outputs(program: ExportedProgram) -> list[Message]:
    """The flattened results, described as inputs are; the program returns the tensors among them.

    Raises Unsupported where there is none, or one that depends on the values of the inputs.
    """
    specs = program.graph_signature.output_specs
    nodes = program.graph.output_node().args[0]
    returned = [
        (spec.arg, node)
        for spec, node in zip(specs, nodes, strict=True)
        if spec.kind == OutputKind.USER_OUTPUT
    ]
    _require_few("outputs", len(returned))
    descriptions = []
    for n, (argument, node) in enumerate(returned):
        if isinstance(argument, TensorArgument):
            descriptions.append(_tensor(f"output {n}", node.meta["val"]))
        elif isinstance(argument, ConstantArgument):
            descriptions.append(_scalar(f"output {n}", argument.value))
        else:
            raise Unsupported(f"output {n} is a number that depends on the data: return a tensor")
    if not any("shape" in description for description in descriptions):
        raise Unsupported("it returns no tensor, so there is nothing to compute: return one")
    return descriptions


def describe_state(model: torch.nn.Module, names: Sequence[str]) -> list[Message]:
    """The buffers that a call changes, each as {"name", "shape", "dtype"}, in the order given."""
    return [{"name": name, **_tensor(f"`{name}`", model.get_buffer(name))} for name in names]


def describe_parameters(model: torch.nn.Module, state: Sequence[str] = ()) -> Message:
    """{"count", "bytes"} over parameters and persistent buffers, but not those named in `state`.

    A shared tensor counts once.
    """
    held = model.state_dict(keep_vars=True)
    tensors = _distinct(value for name, value in held.items() if name not in state)
    return {"count": len(tensors), "bytes": sum(t.numel() * t.element_size() for t in tensors)}


def _require_few(name: str, count: int) -> None:
    if count > MAX_LEAVES:
        raise Unsupported(f"{count} {name}, nested ones counted: {MAX_LEAVES} are taken")


def _distinct(values: Iterable[Any]) -> list[torch.Tensor]:
    return list({id(v): v for v in values if isinstance(v, torch.Tensor)}.values())


def _input(name: str, leaf: Any) -> Message:
    if isinstance(leaf, torch.Tensor):
        return _tensor(name, leaf)
    return _scalar(name, leaf)


def _scalar(name: str, value: Any) -> Message:
    if value is not None and type(value) not in (int, float, bool, str):
        kind = type(value).__name__
        raise Unsupported(f"{name} is {kind}: tensors, numbers, bool, str and None are taken")
    kind = "none" if value is None else type(value).__name__
    return {"scalar": kind, "value": repr(value)[:MAX_VALUE_CHARACTERS]}


def _tensor(name: str, tensor: torch.Tensor) -> Message:
    if tensor.layout != torch.strided:
        raise Unsupported(f"{name} has the layout {tensor.layout}: only dense tensors are taken")
    if tensor.dtype not in DTYPE_WORDS:
        raise Unsupported(f"{name} has the element type {tensor.dtype}, which is not among assay's")
    shape = [size_now(size) for size in tensor.shape]
    if not all(type(size) is int for size in shape):
        raise Unsupported(f"{name} has a shape that depends on the data: {shape}")
    return {"shape": shape, "dtype": DTYPE_WORDS[tensor.dtype]}
