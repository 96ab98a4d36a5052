"""Operations that the compiler's torch dialect does not have."""

from torch._decomp import decomposition_table
from torch._export.utils import _get_decomp_for_cia, _is_cia_op
from torch._ops import OpOverload

from assay_worker.passes.base import Knows, Pass, Rule

NAMESPACES = ("aten", "prims")


def composite_or_decomposition(op: OpOverload) -> Rule | None:
    """What torch itself makes of `op`: its composite kernel, else an entry of its table."""
    # The composite kernel first: it is what runs eagerly.
    if _is_cia_op(op):
        # Not op.decompose: while a program is decomposed, torch has that call this very rule.
        composite: Rule = _get_decomp_for_cia(op)
        return composite
    rule: Rule | None = decomposition_table.get(op)
    return rule


def _rule_for(op: OpOverload, knows: Knows) -> Rule | None:
    if op.namespace not in NAMESPACES or knows(op):
        return None
    return composite_or_decomposition(op)


UNKNOWN_OPERATIONS = Pass(
    name="unknown_operations",
    why="""The compiler's torch dialect does not have every aten operation: the importer then writes
    `torch.operator "torch.aten.X"`, which nothing lowers. Which ones it has changes from version to
    version, so the dialect itself is asked, and what it does not have is taken apart as torch
    does it.""",
    rule_for=_rule_for,
)
