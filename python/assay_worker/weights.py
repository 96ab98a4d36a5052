"""The job `weights`: draws a model's parameters and writes them as an IREE parameter archive.

The one place where a model really takes memory: a copy of its weights, and one tensor more while
they are cast. An exported program names each of its weights; the archive has them under the same
names, drawn from the same seed as by anyone who seeds torch before building the model.
"""

import os
from collections.abc import Iterator
from functools import partial

import torch
from iree.turbine.aot import ParameterArchiveBuilder, externalize_module_parameters
from iree.turbine.aot.tensor_traits import ExternalTensorTrait
from torch import Tensor

from assay_worker import loaded_weights
from assay_worker.building import DTYPES, load, prepare
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.model_state import cast
from assay_worker.on_cpu import OnCpu
from assay_worker.passes.table import PASSES
from assay_worker.protocol import Message, ProtocolError
from assay_worker.seeding import seed_all, seed_of
from assay_worker.signature import describe_parameters
from assay_worker.trail import Trail


def answer(job: Message, descriptors: list[int]) -> Message:
    """Does one job {"job": "weights", "path", "mode", "precision", "seed": integer, "weights"?}.

    `weights` are loaded in the place of what the model draws (loaded_weights.py).
    `descriptors` are [the file's bytes, an empty file for the archive]; both are closed. Returns
    the final answer: `ok` or `failed`. Raises ProtocolError for a job that is none.
    """
    if len(descriptors) != 2 or not isinstance(job.get("path"), str):
        raise ProtocolError("drawing weights needs a path and two descriptors: source and archive")
    if job.get("mode") not in ("eval", "train") or job.get("precision") not in DTYPES:
        raise ProtocolError(f"weights for {job.get('mode')!r} at {job.get('precision')!r}")
    seed = seed_of(job)
    with open(descriptors[0], "rb") as source, open(descriptors[1], "wb") as archive:
        source.seek(0)  # the offset is shared with assay, which has just written the file
        try:
            train, loaded = job["mode"] == "train", job.get("weights")
            model = draw(source.read(), job["path"], train, seed, loaded)
            # As an export blames what keeps weights from getting their names.
            with torch.no_grad(), blame("import", job["path"]):
                cast(model, DTYPES[job["precision"]])
                write(model, archive.fileno())
                drawn = describe_parameters(model, state=())
        except (Failed, Unsupported) as finding:
            return finding.answer()
        size = os.fstat(archive.fileno()).st_size
    return {
        "final": True,
        "ok": {"parameters": drawn["count"], "bytes": drawn["bytes"], "archive_bytes": size},
    }


def draw(
    source: bytes, path: str, train: bool, seed: int, loaded: Message | None = None
) -> torch.nn.Module:
    """Loads the file and builds its model for real, prepared as for an export.

    Raises Failed or Unsupported.
    """
    trail, reseed = Trail(), partial(seed_all, seed)
    with torch.no_grad():
        problem = load(source, path, seed, trail)
        with blame("setup", path), OnCpu(trail):
            model = problem.build(reseed).train(train)
            if loaded is not None:
                loaded_weights.load(model, loaded)
            prepare(model, PASSES, trail)
    return model


def write(model: torch.nn.Module, descriptor: int) -> None:
    """Writes all parameters and buffers, each under the name that an exported program has."""
    builder = ParameterArchiveBuilder()
    for name, tensor in _named(model):
        builder.add_tensor(name, tensor)
    # By the descriptor's own path: the archive's name is none of ours.
    builder.index.create_archive_file(f"/proc/self/fd/{descriptor}")


def _named(model: torch.nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Each tensor once, under the last of its names, as the importer does it.

    Buffers that are not persistent come too: an export may turn one into a parameter.
    """
    externalize_module_parameters(model)
    persistent = model.state_dict(keep_vars=True)
    tensors = {id(t): t for t in persistent.values() if isinstance(t, Tensor)}
    for tensor in tensors.values():
        trait = ExternalTensorTrait.get(tensor)
        if trait is not None:  # a hook of the model's may have added what no program reads
            yield trait.external_name, tensor
    for name, buffer in model.named_buffers(remove_duplicate=False):
        if name not in persistent:
            yield name, buffer
