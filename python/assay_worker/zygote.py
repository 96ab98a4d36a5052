"""The role `export`: imports torch and iree.turbine once, then is forked for every job.

`_zygote.serve` answers assay's requests in C: it forks, sends the hello, sets limits, enters a
private scratch folder, and waits for the children. It never returns in this process, only in each
forked worker, so no Python runs between the fork and the limits.
"""

import contextlib
import gc
import importlib
import os
import sys
import tempfile
import traceback
import warnings

# Bound by name: the code of a workload may edit modules, and the worker still has to end.
from os import _exit
from sys import stderr, stdout
from typing import NoReturn

import torch

from assay_worker import export, hub, hub_files, weights
from assay_worker.building import build, rungs
from assay_worker.kernelbench import Problem
from assay_worker.on_cpu import OnCpu
from assay_worker.passes import PASSES
from assay_worker.protocol import (
    SOCKET_DESCRIPTOR,
    Channel,
    EndOfStream,
    Message,
    ProtocolError,
)
from assay_worker.seeding import seed_the_unseeded
from assay_worker.trail import Trail

IMAGE = "export"


def run() -> NoReturn:
    """Warms up, serves, and, in each worker, does one job."""
    # Here, so that everything else in this file works in a checkout without the extension.
    from assay_worker import _zygote

    warm_up()
    for stream in (stdout, stderr):
        stream.flush()  # or every worker would print it again
    work(_zygote.serve(SOCKET_DESCRIPTOR, IMAGE))


def warm_up() -> None:
    """Takes one tiny model through torch's part of an export, so that workers inherit its caches.

    Never the importer: once a parent has used MLIR, its children deadlock in MLIR's thread pool.
    Raises RuntimeError when the process has more than one thread, since fork would lose the others,
    and when the order of a set of strings is another one in each process: programs depend on it.
    """
    if sys.flags.hash_randomization:
        raise RuntimeError("the hashes of strings are random: start this with PYTHONHASHSEED=0")
    # Torch's advice to itself, once per export; what a worker prints is kept as evidence.
    warnings.filterwarnings("ignore", message=".*treespec, LeafSpec", category=FutureWarning)
    with contextlib.suppress(ImportError):
        # Torch asks for progress bars where tqdm is installed, and the first starts a thread.
        importlib.import_module("tqdm").tqdm.monitor_interval = 0
    trail = Trail()
    with torch.no_grad():
        for rung in rungs(real_bytes=0):
            built = build(_tiny_problem(), 0, False, "f32", PASSES, trail, rung)
            with OnCpu(trail):
                # Every operation is said to be known: whom to ask instead needs MLIR.
                export.trace(built, PASSES, lambda op: True, trail)
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(
            f"{threads} threads before the first fork: start this process with "
            "OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1"
        )
    # A collection in a worker would write to, and so copy, every page that it shares with this one.
    gc.collect()
    gc.freeze()


def _tiny_problem() -> Problem:
    class Model(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = torch.relu(self.layers(x))
            return result

    return Problem("", Model, lambda: [torch.rand(2, 4)], None)


def work(descriptor: int) -> NoReturn:
    """Reads one job from the socket `descriptor`, answers it, and ends the process.

    Status 0 when the job was answered, 1 when it could not be, with the reason on stderr.
    """
    status = 1
    try:
        _become_worker()
        channel = Channel.inherited(descriptor)
        job, descriptors = channel.receive()
        channel.answer(_handle(job, descriptors))
        status = 0
    except EndOfStream:
        status = 0
    except BaseException:
        traceback.print_exc(file=stderr)
    finally:
        for stream in (stdout, stderr):
            try:
                stream.flush()  # _exit flushes nothing, and what the user printed is evidence
            except BaseException:  # the user may have closed it
                pass
        _exit(status)


def _become_worker() -> None:
    """Undoes what a fork shares by accident: thread counts, the temporary folder.

    And keeps what the problem imports from the network, and from entropy.
    """
    tempfile.tempdir = os.environ["TMPDIR"] = os.getcwd()
    torch.set_num_threads(1)
    hub.stay_offline()
    seed_the_unseeded()


def _handle(job: Message, descriptors: list[int]) -> Message:
    jobs = {"export": export.answer, "weights": weights.answer}
    if job.get("job") not in jobs:
        raise ProtocolError(f"the image {IMAGE!r} has no job {job.get('job')!r}")
    answer = jobs[job["job"]](job, descriptors)
    files = hub_files.seen()
    if files and "ok" not in answer:  # a finding that other files may change
        answer["hub_files"] = files
    return answer
