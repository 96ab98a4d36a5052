"""Imports once what takes seconds, then is forked for every job: what the images of Python share.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Bound by name: the code of a workload may edit modules, and the worker still has to end.
from os import _exit
from sys import stderr, stdout
from typing import NoReturn

from assay_worker.protocol import SOCKET_DESCRIPTOR, Channel, EndOfStream


@dataclass(frozen=True)
class Image:
    """What a process has loaded, and what its forks do."""

    name: str
    # Runs once, before the first fork, so that workers inherit what it fills: torch's caches.
    warm_up: Callable[[], None]
    # Everything a worker does: reads from the channel, answers. It ends the process by returning.
    work: Callable[[Channel], None]


def run(image: Image, packages: Sequence[str] = ()) -> NoReturn:
    """Warms up, serves, and, in each worker, does what the image is for.

    `packages`: what its problems import (packages.py).
    """
    # Here, so that everything else in this file works in a checkout without the extension.
    from assay_worker import _zygote

    warm_up(image, packages)
    for stream in (stdout, stderr):
        stream.flush()  # or every worker would print it again
    work(image, _zygote.serve(SOCKET_DESCRIPTOR, image.name))


def warm_up(image: Image, packages: Sequence[str] = ()) -> None:
    """Readies the process for its first fork.

    Raises RuntimeError when the process has more than one thread, since fork would lose the others,
    and when the order of a set of strings is another one in each process: programs depend on it.
    """
    if sys.flags.hash_randomization:
        raise RuntimeError("the hashes of strings are random: start this with PYTHONHASHSEED=0")
    with contextlib.suppress(ImportError):
        # Torch asks for progress bars where tqdm is installed, and the first starts a thread.
        importlib.import_module("tqdm").tqdm.monitor_interval = 0
    image.warm_up()
    if packages:
        importlib.import_module("assay_worker.packages").load(packages)
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(
            f"{threads} threads before the first fork: start this process with "
            "OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1"
        )
    # A collection in a worker would write to, and so copy, every page that it shares with this one.
    gc.collect()
    gc.freeze()
    gc.enable()


def work(image: Image, descriptor: int) -> NoReturn:
    """Does the image's work over the socket `descriptor`, and ends the process.

    Status 0 when it was done, 1 when it could not be, with the reason on stderr.
    """
    status = 1
    try:
        _become_worker()
        image.work(Channel.inherited(descriptor))
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
    """Undoes what a fork shares by accident: the temporary folder, and what torch has."""
    tempfile.tempdir = os.environ["TMPDIR"] = os.getcwd()
    if "torch" in sys.modules:  # else no code of a problem's or a candidate's in Python runs here
        from assay_worker import torch_worker

        torch_worker.settle()
