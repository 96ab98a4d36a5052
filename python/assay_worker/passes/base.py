"""What a pass is: one small change to a problem's model or program, that may be switched off."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram

# Computes what an operation computes, out of others; NotImplemented leaves the operation as it is.
Rule = Callable[..., Any]
# Takes words for what a pass changed: `layer.scale`, `aten.einsum`.
Note = Callable[[Iterable[str]], None]
# Whether the compiler's torch dialect has an operation. Asking touches MLIR: never in the zygote.
Knows = Callable[[OpOverload], bool]


def _not_in_force(note: Note) -> AbstractContextManager[Any]:
    return nullcontext()


def _no_preparation(model: torch.nn.Module) -> Iterable[str]:
    return ()


def _no_rule_for(op: OpOverload, knows: Knows) -> Rule | None:
    return None


def _no_rewrite(program: ExportedProgram) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Pass:
    """A named mend for something that today's torch, importer or compiler lack.

    The hooks stand in the order in which they run; one that a pass does not need it leaves out.
    They say what they changed, for the record of the export: by what they return, or by a `Note`;
    rules are noted when they fire. `why` says, in a paragraph, what is lacking, so that a later
    reader can tell whether it still is; `scripts/needed-passes` tries it out, on
    `python/tests/problems/NAME.py`.
    """

    name: str
    why: str
    # In force while the problem's code builds the model and its inputs.
    building: Callable[[Note], AbstractContextManager[Any]] = _not_in_force
    # Changes the model in place, once it is built and before it is traced.
    prepare: Callable[[torch.nn.Module], Iterable[str]] = _no_preparation
    # In force while torch traces the model.
    tracing: Callable[[Note], AbstractContextManager[Any]] = _not_in_force
    # How to take operations apart, whether they stand in the program or come up in a rule.
    rules: Mapping[OpOverload, Rule] = field(default_factory=dict)
    # The same for operations that can't be listed. Asked about each operation of the program for
    # which no pass has a rule.
    rule_for: Callable[[OpOverload, Knows], Rule | None] = _no_rule_for
    # Changes the program in place, once nothing more is decomposed.
    rewrite: Callable[[ExportedProgram], Iterable[str]] = _no_rewrite
    # In force while the program becomes MLIR.
    importing: Callable[[Note], AbstractContextManager[Any]] = _not_in_force


def op_word(op: OpOverload) -> str:
    """As the torch dialect has it: `aten.add.Tensor`, `aten.relu` for the overload `default`."""
    return str(op).removesuffix(".default")
