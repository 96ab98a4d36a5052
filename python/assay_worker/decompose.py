"""Takes a program apart into operations that the compiler knows, by the rules of the passes."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.export.exported_program as torch_exported_program
from iree.turbine.aot.decompositions import current_aot_decompositions
from torch._export.utils import _is_preservable_cia_op
from torch._ops import OpOverload
from torch.export import ExportedProgram

from assay_worker.failure import Unsupported
from assay_worker.passes.base import Knows, Pass, Rule, op_word
from assay_worker.trail import Trail

# What one round brings in may need another. Of the 250 problems of a public suite none needed more
# than three; a rule whose result holds its own operation would go on for ever.
MAX_ROUNDS = 6
MAX_NAMES = 8

Table = dict[Any, Rule]


def decompose(
    program: ExportedProgram, passes: Sequence[Pass], knows: Knows, trail: Trail
) -> ExportedProgram:
    """Runs turbine's table and the rules of `passes` until no rule has anything to add.

    Returns a program that computes the same, in functional operations only. Raises Unsupported
    where the rules come to no end.
    """
    table: Table = current_aot_decompositions()
    for each in passes:
        table.update((op, _noted(rule, op, each, trail)) for op, rule in each.rules.items())
    for turn in range(MAX_ROUNDS + 1):
        found = _rules(operations(program) - table.keys(), passes, knows, trail)
        if turn > 0 and not found:
            break
        if turn == MAX_ROUNDS:
            left = ", ".join(op_word(op) for op in list(found)[:MAX_NAMES])
            raise Unsupported(
                f"taking the program apart comes to no end: after {turn} rounds there is still "
                f"{left}"
            )
        table.update(found)
        with _composites_left_alone(operations(program) | table.keys()):
            program = program.run_decompositions(table)
    return program


def operations(program: ExportedProgram) -> set[OpOverload]:
    """The operations in the program and in the bodies of its loops and branches."""
    return {
        node.target
        for module in program.graph_module.modules()
        if isinstance(module, torch.fx.GraphModule)
        for node in module.graph.nodes
        if isinstance(node.target, OpOverload)
    }


def _rules(
    ops: set[OpOverload], passes: Sequence[Pass], knows: Knows, trail: Trail
) -> dict[OpOverload, Rule]:
    found: dict[OpOverload, Rule] = {}
    for op in sorted(ops, key=str):
        # An operation that writes into its argument goes when the program becomes functional.
        if op._schema.is_mutable:
            continue
        for each in passes:
            if rule := each.rule_for(op, knows):
                found[op] = _noted(rule, op, each, trail)
                break
    return found


def _noted(rule: Rule, op: OpOverload, owner: Pass, trail: Trail) -> Rule:
    @functools.wraps(rule)
    def noted(*args: Any, **kwargs: Any) -> Any:
        result = rule(*args, **kwargs)
        if result is not NotImplemented:
            trail.changed(owner.name, [op_word(op)])
        return result

    return noted


@contextmanager
def _composites_left_alone(among: Any) -> Iterator[None]:
    """Makes torch keep only those composite operations whole that it can meet.

    By itself it patches, and later restores, each of the 700 that exist, twice in a decomposition:
    200 ms of 300. Those that stand neither in the program nor in the table can come up only inside
    of a rule, where they are taken apart.
    """
    original = getattr(torch_exported_program, "_collect_all_valid_cia_ops", None)
    if original is None:  # another torch than the one that this was written for: slower, no more
        yield
        return
    composites = {op for op in among if isinstance(op, OpOverload) and _is_preservable_cia_op(op)}
    torch_exported_program._collect_all_valid_cia_ops = lambda: composites
    try:
        yield
    finally:
        torch_exported_program._collect_all_valid_cia_ops = original
