"""What a way from a traced program to MLIR is: a row of ROUTES in export.py for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import torch
from torch.export import ExportedProgram

from assay_worker.passes.base import Pass
from assay_worker.trail import Trail

# The scope of every weight in the MLIR: #flow.parameter.named<"model"::"layer.weight">.
PARAMETER_SCOPE = "model"


@dataclass(frozen=True)
class Route:
    """Who takes a program apart, and who writes it."""

    # Of assay's own, which mend what this way lacks.
    passes: Sequence[Pass]
    # Returns a functional program that computes the same, in operations that can be written.
    take_apart: Callable[[ExportedProgram, Sequence[Pass], Trail], ExportedProgram]
    # Writes the text. What the model holds is named in it, under PARAMETER_SCOPE, and not written.
    write: Callable[[torch.nn.Module, ExportedProgram, BinaryIO], None]
    # Whether it takes sizes that are known only when the program runs.
    has_dynamic_sizes: bool = False
