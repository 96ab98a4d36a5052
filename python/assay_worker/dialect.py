"""What the compiler's torch dialect has. Only for workers: asking uses MLIR.

A process that has used MLIR must not be forked (zygote.py), so nothing here runs at import.
"""

import functools

from iree.compiler.ir import Context
from torch._ops import OpOverload

from assay_worker.passes.base import op_word


@functools.cache
def _context() -> Context:
    context = Context()
    context.load_all_available_dialects()
    return context


@functools.cache
def knows(op: OpOverload) -> bool:
    """Whether the dialect has `op`. That does not mean that the compiler lowers it."""
    known: bool = _context().is_registered_operation(f"torch.{op_word(op)}")
    return known
