"""Operations that the dialect has, the compiler does not lower, and torch can take apart."""

import torch
from torch._ops import OpOverload

from assay_worker.passes.base import Pass, Rule
from assay_worker.passes.unknown_operations import composite_or_decomposition

aten = torch.ops.aten

# Each has a problem of its own, so that `scripts/needed-passes` tells of each whether it is needed.
UNLOWERED = (
    aten.logsumexp.default,
    aten.meshgrid.default,
    aten.meshgrid.indexing,
    aten.cosine_embedding_loss.default,
    aten.col2im.default,
)


def _rules() -> dict[OpOverload, Rule]:
    found = {op: composite_or_decomposition(op) for op in UNLOWERED}
    missing = [op for op, rule in found.items() if rule is None]
    assert not missing, f"this torch has no decomposition of {missing}"
    return {op: rule for op, rule in found.items() if rule is not None}


UNLOWERED_OPERATIONS = Pass(
    name="unlowered_operations",
    why="""Some operations pass the importer and fail in the compiler, because nothing there lowers
    them, or because what does breaks the type of a list. Torch's own way of taking them apart ends
    in operations that are lowered.""",
    rules=_rules(),
)
