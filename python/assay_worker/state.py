"""Makes a program a pure function: what it changes goes in as an argument, and out as a result."""

from dataclasses import dataclass

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

from assay_worker.failure import Unsupported


@dataclass(frozen=True)
class State:
    """What a program carries besides its user's arguments and results."""

    # Names of buffers that a call changes: the last inputs, in this order.
    buffers: list[str]
    # As many outputs stand behind the user's; then come the new values of these inputs, by their
    # place among the flattened arguments.
    mutated_inputs: list[int]


def carry_state(program: ExportedProgram) -> State:
    """Changes `program`, which is functional, from (inputs) -> (mutations, results) to

        (inputs, state) -> (results that are tensors, new state, new values of mutated inputs)

    Raises Unsupported where a changed tensor goes by two names.
    """
    signature = program.graph_signature
    results = list(zip(signature.output_specs, program.graph.output_node().args[0], strict=True))
    by_target = {spec.target: spec for spec in signature.input_specs if spec.target is not None}
    user_inputs = [
        spec.arg.name for spec in signature.input_specs if spec.kind == InputKind.USER_INPUT
    ]
    user, state, mutated = [], [], []
    for spec, node in results:
        if spec.kind == OutputKind.USER_OUTPUT:
            if isinstance(spec.arg, TensorArgument):
                user.append((spec, node))
        elif spec.kind == OutputKind.USER_INPUT_MUTATION:
            mutated.append((spec, node))
        else:
            _require_one_name(program, spec.target)
            state.append((spec, node))
    carried = [by_target[spec.target] for spec, _ in state]
    found = State(
        [str(spec.target) for spec, _ in state],
        [user_inputs.index(str(spec.target)) for spec, _ in mutated],
    )
    outputs = [*user, *state, *mutated]
    program.graph.output_node().args = (tuple(node for _, node in outputs),)
    _move_to_the_end(program, [spec.arg.name for spec in carried])
    program._graph_signature = ExportGraphSignature(
        input_specs=[
            *(spec for spec in signature.input_specs if spec not in carried),
            *(InputSpec(InputKind.USER_INPUT, spec.arg, None) for spec in carried),
        ],
        output_specs=[OutputSpec(OutputKind.USER_OUTPUT, spec.arg, None) for spec, _ in outputs],
    )
    program.graph_module.recompile()
    return found


def _move_to_the_end(program: ExportedProgram, names: list[str]) -> None:
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    for name in names:
        moved = next(node for node in placeholders if node.name == name)
        last = [node for node in program.graph.nodes if node.op == "placeholder"][-1]
        if moved is not last:
            last.append(moved)


def _require_one_name(program: ExportedProgram, target: str | None) -> None:
    held: dict[str, torch.Tensor] = {**program.constants, **program.state_dict}
    aliases = [
        name
        for name, tensor in held.items()
        if name != target and target in held and tensor is held[target]
    ]
    if aliases:
        raise Unsupported(
            f"`forward` changes `{target}`, which is also `{aliases[0]}`: a program can carry a "
            "tensor from call to call under one name only"
        )
