"""A GPU that is not here: what candidates ask of CUDA is answered as far as that goes without one.

In a process of its own, that of one candidate, and only where that is compiled for a GPU, or its
kernels are interpreted. Nothing of this is undone.
"""

import contextlib
import os
import re
import sys
from types import SimpleNamespace
from typing import Any

import torch

from assay_worker.failure import chain, text_of
from assay_worker.protocol import Message

# Torch's own code for devices, which raises where there is none.
_OF_DEVICES = (f"{os.sep}torch{os.sep}cuda{os.sep}", f"{os.sep}torch{os.sep}backends{os.sep}cuda")

# Of torch.cuda: what is done, or needs not be.
_DONE_ANYHOW = (
    "init",
    "set_device",
    "synchronize",
    "empty_cache",
    "manual_seed",
    "manual_seed_all",
    "reset_peak_memory_stats",
    "ipc_collect",
)

# A launch's result is a compiled kernel, and None in the interpreter.
_OF_A_LAUNCH = re.compile(
    "^'NoneType' object has no attribute '(_init_handles|n_regs|n_spills|n_max_threads|metadata|asm"
    "|kernel|function|run|name|hash)'"
)


class LibraryForGpu(Exception):
    """A library that was built for the GPU is called."""


class StandIn:
    """In the place of an extension's module that was built for the GPU, and is not loaded."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, function: str) -> Any:
        if function.startswith("__"):
            raise AttributeError(function)

        def call(*_: Any, **__: Any) -> Any:
            raise LibraryForGpu(f"{self.__name__}.{function} is for the GPU, which is not here")

        return call


def pretend(gpu: Message) -> None:
    """To be called before the candidate's file is loaded, and before Triton is."""
    _set_up_triton(gpu)
    on_cpu = torch.Tensor.device
    torch.Tensor.is_cuda = property(lambda _: not _is_asked_by_torch())
    torch.Tensor.device = property(
        lambda tensor: on_cpu.__get__(tensor) if _is_asked_by_torch() else torch.device("cuda", 0)
    )
    major, minor = _capability(gpu["architecture"])
    properties = _Properties(
        name=gpu["architecture"],
        gcnArchName=gpu["architecture"],
        major=major,
        minor=minor,
        # How many there are differs between devices of one architecture.
        multi_processor_count=64,
        total_memory=16 << 30,
        warp_size=gpu["warp_threads"],
        max_threads_per_multi_processor=2048,
        shared_memory_per_block=gpu["shared_bytes"],
        shared_memory_per_block_optin=gpu["shared_bytes"],
        shared_memory_per_multiprocessor=gpu["shared_bytes"],
        regs_per_multiprocessor=65536,
        L2_cache_size=32 << 20,
    )
    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_name": gpu["architecture"],
        "get_device_capability": (major, minor),
        "get_device_properties": properties,
        "is_bf16_supported": True,
        "mem_get_info": (8 << 30, 16 << 30),
        "is_current_stream_capturing": False,
        "memory_allocated": 0,
        "max_memory_allocated": 0,
    }
    for name in _DONE_ANYHOW:
        answers[name] = None
    for name, answer in answers.items():
        setattr(torch.cuda, name, _always(answer))
    for name in ("current_stream", "default_stream"):
        setattr(torch.cuda, name, lambda *_: _Stream())
    for name in ("device", "device_of", "stream", "StreamContext"):
        setattr(torch.cuda, name, lambda *_: contextlib.nullcontext())
    torch.cuda.Stream = torch.cuda.Event = _Stream
    torch.Generator = _Generator
    torch.Tensor.record_stream = lambda *_: None
    torch.Tensor.get_device = lambda _: -1 if _is_asked_by_torch() else 0
    custom_op = torch.library.custom_op

    def for_any_device(*arguments: Any, device_types: Any = None, **named: Any) -> Any:
        return custom_op(*arguments, **named)

    torch.library.custom_op = for_any_device
    for name in ("range_push", "range_pop", "mark", "range"):
        setattr(torch.cuda.nvtx, name, lambda *_, **__: contextlib.nullcontext())


def _capability(architecture: str) -> tuple[int, int]:
    """As torch has it: (8, 0) of "sm_80" and "sm_80a", (9, 4) of "gfx942", (11, 0) of "gfx1100"."""
    if architecture.startswith("gfx"):
        number = architecture.removeprefix("gfx")[:-1]  # without the stepping
    else:
        number = architecture.removeprefix("sm_").rstrip("abcdef")
    return int(number[:-1]), int(number[-1], 16)


def _is_asked_by_torch() -> bool:
    """Whether who asks a tensor where it is has to be told the truth, and is not the candidate."""
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name.partition(".")[0] in ("torch", "triton", "assay_worker")


def _always(answer: Any) -> Any:
    return lambda *_, **__: answer


class _Properties(SimpleNamespace):
    """Of the device; what is not known of it is not there to be asked for."""

    def __getattr__(self, name: str) -> Any:
        raise LibraryForGpu(f"the device's {name} is not known")


class _Generator(torch.Generator):  # type: ignore[misc]
    """One for the device, on the CPU."""

    def __new__(cls, device: Any = None) -> "_Generator":
        made: _Generator = super().__new__(cls, device="cpu")
        return made


class _Stream:
    """A stream or an event. Work is done when it is asked for, so there is nothing to wait for."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cpu")

    def query(self) -> bool:
        return True

    def elapsed_time(self, _: Any) -> float:
        return 1.0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: self

    def __enter__(self) -> "_Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        pass


def why_not_here(raised: BaseException | None) -> str | None:
    """Why the candidate's code ended as it would not have with a GPU; None: it would have, too."""
    for error in chain(raised):
        kind = type(error)
        if isinstance(error, LibraryForGpu) or (
            kind.__name__ == "InterpreterError" and kind.__module__.startswith("triton.")
        ):
            return _line(error)
        if isinstance(error, AttributeError) and _OF_A_LAUNCH.search(text_of(error)):
            return f"it asks for what the interpreter has not: {_line(error)}"
        if isinstance(error, AttributeError) and "'_OpNamespace'" in text_of(error):
            return f"LibraryForGpu: its operators are not here: {_line(error)}"
        if is_of_devices(error):
            return f"it asks for a device: {_line(error)}"
    return None


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {text_of(error)}"


def is_of_devices(error: BaseException) -> bool:
    """Whether it was raised in torch's code for devices, or in what that calls."""
    step, found = error.__traceback__, False
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        is_torch = f"{os.sep}torch{os.sep}" in name
        found = is_torch and (found or any(folder in name for folder in _OF_DEVICES))
        step = step.tb_next
    return found


def _set_up_triton(gpu: Message) -> None:
    os.environ["TRITON_CACHE_DIR"] = os.path.join(os.getcwd(), "triton")
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"  # as it is, without the warning
    os.environ["TRITON_INTERPRET"] = "0" if gpu["compile"] else "1"
    try:
        from assay_worker import triton_device
    except ImportError:  # the candidate has no need of it, or will say so itself
        return
    triton_device.install(gpu)
