"""Buffers that `forward` sets to a tensor which it did not compute."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.nn.modules.module import register_module_buffer_registration_hook

from assay_worker.aliases import key_of, memory_of
from assay_worker.failure import Unsupported
from assay_worker.passes.base import Note, Pass


@contextmanager
def copied(note: Note) -> Iterator[None]:
    """While torch traces, lets a buffer be set to a copy of an input or of another buffer.

    Raises Unsupported, at the end, where tensor and copy are told apart: one of them was changed in
    place later, and the other would have changed with it.
    """
    copies: list[tuple[str, Tensor, int]] = []
    assigned: list[Tensor] = []  # kept, so that no other tensor gets the storage of one of them

    def copy(module: nn.Module, name: str, value: Any) -> Tensor | None:
        # Torch registers constants in the graph that it makes, when it is done with the inputs.
        if not isinstance(value, Tensor) or isinstance(module, GraphModule):
            return None
        others = [tensor for tensor in assigned if tensor is not module._buffers.get(name)]
        if not _shares(value, [*others, *_inputs()]):
            assigned.append(value)
            return None
        fresh = value.clone()
        assigned.extend((value, fresh))
        copies.extend((name, tensor, tensor._version) for tensor in (value, fresh))
        note([name])
        return fresh

    hook = register_module_buffer_registration_hook(copy)
    try:
        yield
    finally:
        hook.remove()
    for name, tensor, version in copies:
        if tensor._version != version:
            raise Unsupported(
                f"`forward` sets `{name}` to a tensor that has another name, and then changes it "
                "in place: a program can carry a tensor from call to call under one name only"
            )


def _inputs() -> list[Tensor]:
    """The inputs of the program that is being traced, as they came: also a buffer is one."""
    mode = get_proxy_mode()
    known = mode.tracer.tensor_tracker.items() if mode else ()
    return [tensor for tensor, slot in known if slot.proxy.node.op == "placeholder"]


def _shares(tensor: Tensor, others: list[Tensor]) -> bool:
    """Whether a tensor has the memory of another: is the other, or a view of it."""
    key = key_of(memory_of(tensor))
    return any(key_of(memory_of(other)) == key for other in others)


ASSIGNED_INPUTS = Pass(
    name="assigned_inputs",
    why="""Torch can't say that a buffer's new value is an input, another buffer, or that of another
    buffer: its own check of the program fails ("missing nn_module_stack metadata"). A common line
    asks for it, `self.c0 = self.h0.to(x.device)`, which changes nothing where there is one
    device.""",
    tracing=copied,
)
