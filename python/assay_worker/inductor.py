"""The image `inductor`: that of candidates, with torch's compiler loaded and tried out.

Loading it and finding out what the machine's compiler and CPU can do takes most of twenty seconds,
and would be spent by each process that compiles something.
"""

import contextlib
import os

import torch
from torch._inductor import codecache, config

from assay_worker import candidate
from assay_worker.protocol import Channel
from assay_worker.zygote import Image

_FOLDER = "TORCHINDUCTOR_CACHE_DIR"


def warm_up() -> None:
    """One small compile. It also precompiles a header, in the folder that the image is given.

    Jails show candidates that folder. Torch would take one below /tmp, which anybody may be first
    to make.
    """
    candidate.warm_up()
    # In this process: a pool of others would import torch first.
    config.compile_threads = 1
    config.cpp_cache_precompile_headers = _FOLDER in os.environ
    _keep_headers_in(os.environ.get(_FOLDER, ""))

    # Without a C++ compiler, say. Candidates that call it are told so, and others do not need it.
    with torch.no_grad(), contextlib.suppress(Exception):
        torch.compile(_small)(torch.rand(8, 64))


def _keep_headers_in(folder: str) -> None:
    codecache._HEADER_DIR = os.path.join(folder, "headers")
    codecache._HEADER_LOCK_DIR = os.path.join(codecache._HEADER_DIR, "locks")


def _small(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x) + x.sum(-1, keepdim=True)


def work(channel: Channel) -> None:
    """As of any candidate, which compiles in a folder of its own."""
    if not os.access(codecache._HEADER_DIR, os.R_OK | os.X_OK):
        config.cpp_cache_precompile_headers = False
    os.environ[_FOLDER] = os.path.join(os.getcwd(), "inductor")
    _keep_headers_in(os.environ[_FOLDER])
    candidate.work(channel)


IMAGE = Image("inductor", warm_up, work)
