"""Who compiles the problem's own model, in the process that calls it: a row of COMPILERS for each.

What a compiler is given is a model and the arguments of a first call; what it gives is called with
arguments from then on. Its work is part of the first call, which is not timed. A compiler that
can't take a model raises what it raises: the verdict says it.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import torch

from assay_worker.by_onnxruntime import by_onnxruntime
from assay_worker.by_xla import by_xla
from assay_worker.compile_parts import Call, Costs, NotTaken
from assay_worker.left_program import LeftProgram


def compiled(model: torch.nn.Module, name: str, left: LeftProgram | None = None) -> torch.nn.Module:
    """The model as the compiler of this name runs it.

    `left`: what an earlier process has compiled, of a compiler that can go on from that.
    """
    if name == "inductor":
        model.compile()
        return model
    return _Compiled(model, name, left)


class _Compiled(torch.nn.Module):  # type: ignore[misc]
    """Compiles in its first call."""

    def __init__(self, model: torch.nn.Module, name: str, left: LeftProgram | None) -> None:
        super().__init__()
        self.model = model
        self._name = name
        self._left = left
        self._call: list[Call] = []  # in a list: no part of its state
        self.costs: Costs = {}

    def forward(self, *arguments: Any) -> Any:
        if not self._call:
            if self.model.training:
                raise NotTaken(f"{self._name} takes models in eval mode alone")
            compile_ = COMPILERS[self._name]
            self._call.append(compile_(self.model, arguments, self.costs, self._left))
        return self._call[0](*arguments)


class Compiling:
    """Says what compiling a model has taken, once: asking again costs the calls that are timed
    nothing."""

    def __init__(self, model: torch.nn.Module | None = None) -> None:
        """None: nothing is compiled."""
        self._model = model
        # Of inductor, which counts for all of a process, what the image has compiled to warm up.
        self._before = {} if model is None or isinstance(model, _Compiled) else _costs_of_inductor()

    def news(self) -> str:
        """JSON of Costs, behind the call that has compiled; else ""."""
        if self._model is None:
            return ""
        is_own = isinstance(self._model, _Compiled)
        costs: Costs = self._model.costs if is_own else _costs_of_inductor()
        since = {part: ns - self._before.get(part, 0) for part, ns in costs.items()}
        if not any(since.values()):
            return ""
        self._model = None
        return json.dumps(since)


def _costs_of_inductor() -> Costs:
    from torch._dynamo.utils import calculate_time_spent  # loaded by whoever has compiled

    spent = calculate_time_spent()
    whole, backend = (spent.get(f"{part}_compile", 0.0) for part in ("entire_frame", "backend"))
    if not whole:
        return {}
    return {"export_ns": round((whole - backend) * 1e9), "compile_ns": round(backend * 1e9)}


Compile = Callable[[torch.nn.Module, Sequence[Any], Costs, "LeftProgram | None"], Call]
COMPILERS: dict[str, Compile] = {
    "xla": by_xla,
    "onnxruntime": by_onnxruntime,
}
