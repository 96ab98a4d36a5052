"""All passes, in their order. Imports the importer of MLIR, without touching it.

The order matters where two passes have a rule for one operation (the later one wins), and for
`prepare` and `rewrite`, which see what the passes before them left.
"""

from assay_worker.passes.assigned_inputs import ASSIGNED_INPUTS
from assay_worker.passes.attention import ATTENTION_MASKS
from assay_worker.passes.attributes import TENSOR_ATTRIBUTES
from assay_worker.passes.base import Pass
from assay_worker.passes.booleans import AND
from assay_worker.passes.conversions import CONVERSIONS
from assay_worker.passes.convolutions import DEPTHWISE_CONVOLUTIONS, TRANSPOSED_CONVOLUTIONS
from assay_worker.passes.counted_loops import COUNTED_LOOPS
from assay_worker.passes.einsum import EINSUM
from assay_worker.passes.losses import CLASS_LOSSES
from assay_worker.passes.miscompiled import FILLS, FLOATS_WITH_INTEGERS
from assay_worker.passes.normalisation import INSTANCE_NORM
from assay_worker.passes.padding import CIRCULAR_PADDING
from assay_worker.passes.recurrent import RECURRENT
from assay_worker.passes.unknown_operations import UNKNOWN_OPERATIONS
from assay_worker.passes.unlowered_operations import UNLOWERED_OPERATIONS

PASSES: tuple[Pass, ...] = (
    CONVERSIONS,
    TENSOR_ATTRIBUTES,
    ASSIGNED_INPUTS,
    RECURRENT,
    COUNTED_LOOPS,
    FLOATS_WITH_INTEGERS,
    FILLS,
    INSTANCE_NORM,
    CLASS_LOSSES,
    EINSUM,
    AND,
    TRANSPOSED_CONVOLUTIONS,
    DEPTHWISE_CONVOLUTIONS,
    ATTENTION_MASKS,
    CIRCULAR_PADDING,
    UNLOWERED_OPERATIONS,
    UNKNOWN_OPERATIONS,
)
