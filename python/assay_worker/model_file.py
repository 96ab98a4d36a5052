"""Files with `get_model()` and `get_dummy_input()`: they are given what a problem has.

`get_dummy_input()` gives what `forward` is called with: a tensor, a tuple or list of positional
arguments, a dict of arguments by name, or the shape of a tensor, which is drawn as `torch.randn`
does.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import torch

from assay_worker.failure import Explained

MODEL, INPUT = "get_model", "get_dummy_input"
# What `adapt` adds. Not `Model`: that may be a class of the file's own, which `get_model` makes.
ADAPTED = "ModelOfFile"


class BadModelFile(Explained):
    """The file runs, and its functions give what nobody can use."""


def is_model_file(module: ModuleType) -> bool:
    return hasattr(module, MODEL) and not hasattr(module, "get_inputs")


def adapt(module: ModuleType) -> None:
    """Adds ADAPTED, a class, and `get_inputs` to the module of such a file."""

    class ModelOfFile(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            model = module.get_model()
            if not isinstance(model, torch.nn.Module):
                raise BadModelFile(
                    f"`{MODEL}()` gave {type(model).__name__}: return the torch.nn.Module to run"
                )
            self.model = model
            given = _given(module)
            self.names = list(given) if isinstance(given, Mapping) else None

        def forward(self, *values: Any) -> Any:
            if self.names is None:
                return self.model(*values)
            return self.model(**dict(zip(self.names, values, strict=True)))

    def get_inputs() -> list[Any]:
        given = _given(module)
        if isinstance(given, torch.Tensor):
            return [given]
        if isinstance(given, Mapping):
            return list(given.values())
        if given and all(isinstance(each, int) for each in given):
            return [torch.randn(*given)]
        return list(given)

    ModelOfFile.__module__ = module.__name__
    ModelOfFile.__qualname__ = ADAPTED  # torch.export looks it up
    setattr(module, ADAPTED, ModelOfFile)
    module.get_inputs = get_inputs  # type: ignore[attr-defined]


def _given(module: ModuleType) -> Any:
    function = getattr(module, INPUT, None)
    if not callable(function):
        raise BadModelFile(
            f"the file defines `{MODEL}` and no `{INPUT}`: add a function that returns what "
            "`forward` is called with"
        )
    given = function()
    if isinstance(given, torch.Tensor | tuple | list):
        return given
    if isinstance(given, Mapping) and all(isinstance(name, str) for name in given):
        return given
    raise BadModelFile(
        f"`{INPUT}()` gave {type(given).__name__}: return a tensor, a tuple of arguments, a shape "
        "such as (1, 3, 224, 224), or a dict of arguments by name"
    )
