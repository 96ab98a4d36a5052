"""Tensors that a model holds and does not name as its own."""

from collections.abc import Iterator

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from assay_worker.passes.base import Pass

# A constant of more elements is a parameter of the program: in the program's text it takes two
# characters a byte, and the compiler would carry it through all its phases.
MAX_CONSTANT_ELEMENTS = 64 << 10


def name_tensors(model: nn.Module) -> Iterator[str]:
    """Makes each plain tensor attribute a buffer, and each buffer without values a persistent one.

    Yields what it changed, by the names in the state of the model.
    """
    for path, module in model.named_modules():
        prefix = f"{path}." if path else ""
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor) and "." not in name:
                delattr(module, name)
                module.register_buffer(name, value)
                yield prefix + name
        for name in sorted(module._non_persistent_buffers_set):
            buffer = module._buffers.get(name)
            if buffer is not None and _is_better_a_parameter(buffer):
                module._non_persistent_buffers_set.discard(name)
                yield prefix + name


def _is_better_a_parameter(buffer: torch.Tensor) -> bool:
    return isinstance(buffer, FakeTensor) or buffer.numel() > MAX_CONSTANT_ELEMENTS


TENSOR_ATTRIBUTES = Pass(
    name="tensor_attributes",
    why="""A model is built without data, so a tensor that it computes while it is built has no
    values that could be written into the program. Torch takes parameters and persistent buffers for
    things with names, to be given later; a tensor that is a plain attribute it takes for a
    constant, and refuses one that `forward` changes ("fake mode doesn't match"). A name mends all
    of these.""",
    prepare=name_tensors,
)
