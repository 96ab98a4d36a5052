"""The image `export`: has imported torch and iree.turbine; a worker exports one problem."""

import warnings
from collections.abc import Sequence

import torch
from torch.export import ExportedProgram

from assay_worker import export, hub_files, weights
from assay_worker.building import build, rungs
from assay_worker.decompose import decompose
from assay_worker.kernelbench import Problem
from assay_worker.on_cpu import OnCpu
from assay_worker.passes.base import Pass
from assay_worker.passes.table import PASSES
from assay_worker.protocol import Channel, Message, ProtocolError
from assay_worker.trail import Trail
from assay_worker.zygote import Image


def warm_up() -> None:
    """Takes one tiny model through torch's part of an export, so that workers inherit its caches.

    Never the importer: once a parent has used MLIR, its children deadlock in MLIR's thread pool.
    """
    # Torch's advice to itself, once per export; what a worker prints is kept as evidence.
    warnings.filterwarnings("ignore", message=".*treespec, LeafSpec", category=FutureWarning)
    trail = Trail()
    with torch.no_grad():
        for rung in rungs(real_bytes=0):
            built = build(_tiny_problem(), 0, False, "f32", PASSES, trail, rung)
            with OnCpu(trail):
                export.trace(built, PASSES, _take_apart, trail)


def _take_apart(program: ExportedProgram, passes: Sequence[Pass], trail: Trail) -> ExportedProgram:
    """Every operation is said to be known: whom to ask instead needs MLIR."""
    return decompose(program, passes, lambda op: True, trail)


def _tiny_problem() -> Problem:
    class Model(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = torch.relu(self.layers(x))
            return result

    return Problem("", Model, lambda: [torch.rand(2, 4)], None)


def work(channel: Channel) -> None:
    """Reads one job and answers it."""
    channel.answer(_handle(*channel.receive()))


def _handle(job: Message, descriptors: list[int]) -> Message:
    jobs = {"export": export.answer, "weights": weights.answer}
    if job.get("job") not in jobs:
        raise ProtocolError(f"the image {IMAGE.name!r} has no job {job.get('job')!r}")
    answer = jobs[job["job"]](job, descriptors)
    files = hub_files.seen()
    if files and "ok" not in answer:  # a finding that other files may change
        answer["hub_files"] = files
    return answer


IMAGE = Image("export", warm_up, work)
