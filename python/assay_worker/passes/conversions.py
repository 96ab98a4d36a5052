"""`model.half()`, `model.to(...)` and the like, where the model has no data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from assay_worker.passes.base import Note, Pass

Conversion = Callable[[Tensor], Tensor]


def convert(model: nn.Module, conversion: Conversion, recurse: bool = True) -> nn.Module:
    """Replaces each parameter and buffer by `conversion` of it; what was shared stays shared.

    As nn.Module._apply, but that a parameter which changes becomes another object.
    """
    # The old ones are kept, so that no new one takes the address of one that is gone.
    converted: dict[int, tuple[Tensor, Tensor]] = {}

    def once(tensor: Tensor) -> Tensor:
        if id(tensor) not in converted:
            with torch.no_grad():
                converted[id(tensor)] = (tensor, conversion(tensor))
        return converted[id(tensor)][1]

    for module in model.modules() if recurse else [model]:
        for name, parameter in list(module._parameters.items()):
            if parameter is None:
                continue
            fresh = once(parameter)
            if fresh is not parameter and not isinstance(fresh, nn.Parameter):
                fresh = nn.Parameter(fresh, parameter.requires_grad)
                converted[id(parameter)] = (parameter, fresh)
            module._parameters[name] = fresh
        for name, buffer in list(module._buffers.items()):
            if buffer is not None:
                module._buffers[name] = once(buffer)
    return model


@contextmanager
def _replacing(note: Note) -> Iterator[None]:
    original = nn.Module._apply

    def noted(model: nn.Module, conversion: Conversion, recurse: bool = True) -> nn.Module:
        note([type(model).__name__])
        return convert(model, conversion, recurse)

    nn.Module._apply = noted
    try:
        yield
    finally:
        nn.Module._apply = original


CONVERSIONS = Pass(
    name="conversions",
    why="""Torch converts a module in place, by exchanging what is inside of its parameters. With
    fake tensors that fails ("Couldn't swap Linear.weight"), even where there is nothing to convert,
    as in `.to("cpu")` or `.float()`. Here parameters are replaced.""",
    building=_replacing,
)
