"""The compiler xla: torchax makes a function of JAX of a model, which XLA compiles for the CPU."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from assay_worker.compile_parts import (
    Call,
    Costs,
    OnlyTensors,
    counted,
    exported,
    require_functional,
)
from assay_worker.left_program import LeftProgram, mark_of
from assay_worker.stablehlo import decomposed, function_of, import_torchax, load_torchax


@dataclass(frozen=True)
class _XlaProgram:
    """What XLA has compiled, and what it is called with before a call's own tensors."""

    executable: Any  # as jax.experimental.serialize_executable has it
    parameters: list[str]  # names in the state of OnlyTensors
    constants: list[str | Tensor]  # names of its attributes; else values that stand in the code
    form: list[Any]  # of Results


def by_xla(
    model: torch.nn.Module, arguments: Sequence[Any], costs: Costs, left: LeftProgram | None
) -> Call:
    """Its first call raises NotWritten of an operation that torchax has not got, or JAX does not
    take.
    """
    # XLA's pool of threads has as many; it is made once for a process.
    os.environ["NPROC"] = str(torch.get_num_threads())
    load_torchax()
    import jax

    only_tensors = OnlyTensors(model)
    ready: tuple[Any, Any] | None = None
    # Whatever stands in the way of going on from another's program, compiling anew says it.
    with suppress(Exception):
        if left and (found := left.read(mark_of(model, arguments))):
            ready = _taken_up(found, only_tensors)
    run, held = ready or _compiled_anew(only_tensors, arguments, costs, left)

    def call(*arguments: Any) -> Any:
        given = run(*held, _inputs_of(arguments))
        jax.block_until_ready(given)
        return only_tensors.results.around([torch.from_dlpack(each) for each in given])

    return call


def _taken_up(found: _XlaProgram, only_tensors: OnlyTensors) -> tuple[Any, Any]:
    """What another process has compiled, and what this one's model has for it."""
    from jax.experimental import serialize_executable

    state = only_tensors.state_dict(keep_vars=True)
    constants = [
        _attribute(only_tensors, each) if isinstance(each, str) else each
        for each in found.constants
    ]
    held = _copied([state[name] for name in found.parameters]), _copied(constants)
    only_tensors.results.form = found.form
    return serialize_executable.deserialize_and_load(*found.executable), held


def _compiled_anew(
    only_tensors: OnlyTensors, arguments: Sequence[Any], costs: Costs, left: LeftProgram | None
) -> tuple[Any, Any]:
    """The same of what is compiled here. `left` gets it, for the next process."""
    import jax
    from jax.experimental import serialize_executable

    import_torchax()
    with counted(costs, "export_ns"):
        program = decomposed(exported(only_tensors, arguments))
        require_functional(program)
        function = function_of(program)
    names = [name for name, _ in function.parameters]
    # Constants are arguments, too: XLA would take its time to compute with them beforehand.
    held = _copied([program.state_dict[name] for name in names]), _copied(function.constants)
    buffers = len(program.graph_signature.buffers_to_mutate)  # the first of what it returns
    _count_jax(costs)
    run = jax.jit(lambda *given: function.call(*given)[buffers:])
    if not left:
        return run, held
    run = run.lower(*held, _inputs_of(arguments)).compile()
    known = zip(function.constant_names, function.constants, strict=True)
    constants = [value if _attribute(only_tensors, name) is None else name for name, value in known]
    executable = serialize_executable.serialize(run)
    form = only_tensors.results.form
    left.write(
        mark_of(only_tensors.model, arguments), _XlaProgram(executable, names, constants, form)
    )
    return run, held


def _inputs_of(arguments: Sequence[Any]) -> list[Any]:
    """Of a call: its tensors, which JAX reads where they are."""
    import jax

    tensors = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Tensor)]
    return [jax.dlpack.from_dlpack(each.contiguous()) for each in tensors]


def _copied(tensors: Sequence[Tensor]) -> list[Any]:
    from torchax.ops import mappings

    return [mappings.t2j(each.detach(), use_dlpack=False) for each in tensors]


def _attribute(model: torch.nn.Module, name: str) -> Tensor | None:
    """A tensor that the model has under this path; None: what an export has called so is none."""
    value: Any = model
    for part in name.split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, Tensor) else None


def _count_jax(costs: Costs) -> None:
    """Adds what JAX says of its own work, which it does in the first call.

    Functions that are traced within another say so, too: the outermost is the last.
    """
    import jax

    traced = [0]

    def take(event: str, seconds: float, **_: Any) -> None:
        ns = round(seconds * 1e9)
        if event.endswith("/jaxpr_trace_duration"):
            traced[0] = ns
        elif event.endswith("/jaxpr_to_mlir_module_duration"):
            costs["export_ns"] = costs.get("export_ns", 0) + traced[0] + ns
        elif event.endswith("/backend_compile_duration"):
            costs["compile_ns"] = costs.get("compile_ns", 0) + ns

    jax.monitoring.register_event_duration_secs_listener(take)
