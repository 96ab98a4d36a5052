"""Triton's driver for a GPU that is not here: kernels are compiled for it, and never launched."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import triton.testing
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from assay_worker.protocol import Message

MAX_NAME = 150  # of characters: it becomes a file's
# Of what a compiled kernel has as text or code: these, and with --phases all of it.
_CODE = ("ptx", "cubin", "amdgcn", "hsaco")
# Types, as Triton's first stage has them, that its interpreter computes otherwise than devices do.
_NARROW = re.compile(r"bf16|f8E")


@dataclass
class Kernel:
    """One that was compiled: of one function, for one kind of arguments."""

    name: str
    code: Any  # as Triton has it: {"ptx": text, "cubin": bytes, ...}
    warps: int
    shared_bytes: int
    takes: Message = field(default_factory=dict)  # registers and spills, as far as they are known
    launches: int = 0


@dataclass
class Kernels:
    """What has been compiled in this process."""

    compiled: dict[str, Kernel] = field(default_factory=dict)  # by Triton's hash
    refused: list[BaseException] = field(default_factory=list)

    def told(self, phases: bool) -> tuple[list[Message], list[bytes]]:
        """What the judge is told of them, and the files in that order."""
        kernels: list[Message] = []
        blobs: list[bytes] = []
        for kernel in self.compiled.values():
            files: list[Message] = []
            for name, text in kernel.code.items():
                if name not in _CODE and not phases:
                    continue
                content = text if isinstance(text, bytes) else str(text).encode()
                files.append({"name": name, "bytes": len(content)})
                blobs.append(content)
            kernels.append(
                {
                    "name": kernel.name[:MAX_NAME],
                    "launches": kernel.launches,
                    "warps": kernel.warps,
                    "shared_bytes": kernel.shared_bytes,
                    **kernel.takes,
                    "narrow": _NARROW.search(str(kernel.code["ttir"])) is not None,
                    "files": files,
                }
            )
        return kernels, blobs


KERNELS = Kernels()


@dataclass
class _Assembler:
    """What ptxas prints of what it assembles."""

    printed: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Triton has it say what a kernel takes, and shows that where it is asked to."""
        from triton import knobs
        from triton.backends.nvidia import compiler

        knobs.nvidia.dump_ptxas_log = True
        setattr(compiler, "print", lambda *words, **_: self.printed.append(" ".join(words)))  # noqa: B010

    def heard(self) -> str:
        printed = "\n".join(self.printed)
        self.printed.clear()
        return printed


_ASSEMBLER = _Assembler()
_BYTES_OF_REGISTER = 4  # of one lane


def takes_of_ptxas(printed: str) -> Message:
    """Of the last kernel that `ptxas -v` tells of."""
    return _numbers(
        printed,
        {
            "registers": r"Used (\d+) registers",
            "spilled_bytes": r"(\d+) bytes spill stores",
        },
    )


def takes_of_amdgcn(text: str) -> Message:
    """Of the kernel that AMD's assembly is of, which says it in its metadata."""
    takes = _numbers(
        text,
        {
            "registers": r"\.vgpr_count: +(\d+)",
            "scalar_registers": r"\.sgpr_count: +(\d+)",
            "spilled_bytes": r"\.vgpr_spill_count: +(\d+)",
        },
    )
    if "spilled_bytes" in takes:
        takes["spilled_bytes"] *= _BYTES_OF_REGISTER
    return takes


def _numbers(text: str, patterns: dict[str, str]) -> Message:
    found = {name: re.findall(pattern, text) for name, pattern in patterns.items()}
    return {name: int(numbers[-1]) for name, numbers in found.items() if numbers}


def install(gpu: Message) -> None:
    """From here on Triton has this device."""
    driver.set_active(_Driver(gpu))
    triton.testing.do_bench = _no_clock(calls=gpu["compile"])
    triton.testing.do_bench_cudagraph = triton.testing.do_bench
    if not gpu["compile"]:
        return
    if gpu["kind"] == "cuda":
        _ASSEMBLER.listen()
    run = JITFunction.run

    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            kernel = run(self, *arguments, **named)
        except Exception as error:
            KERNELS.refused.append(error)
            raise
        if kernel is not None:
            if kernel.hash not in KERNELS.compiled:
                KERNELS.compiled[kernel.hash] = Kernel(
                    kernel.metadata.name,
                    kernel.asm,
                    kernel.metadata.num_warps,
                    kernel.metadata.shared,
                    takes_of_amdgcn(str(kernel.asm["amdgcn"]))
                    if "amdgcn" in kernel.asm
                    else takes_of_ptxas(_ASSEMBLER.heard()),
                )
            KERNELS.compiled[kernel.hash].launches += 1
        return kernel

    JITFunction.run = watched


def _no_clock(calls: bool) -> Callable[..., Any]:
    """In the place of what measures a call: one, so that it is compiled, or none."""

    def bench(call: Callable[[], Any], *_: Any, quantiles: Any = None, **__: Any) -> Any:
        if calls:
            call()
        return [1.0] * len(quantiles) if quantiles else 1.0

    return bench


class _Driver:
    """What Triton asks of a device's driver."""

    def __init__(self, gpu: Message) -> None:
        if gpu["kind"] == "cuda":
            architecture: int | str = int(gpu["architecture"].removeprefix("sm_").rstrip("a"))
        else:
            architecture = gpu["architecture"]
        self._target = GPUTarget(gpu["kind"], architecture, gpu["warp_threads"])
        self.utils = _Utils(gpu)
        self.launcher_cls = _Launcher
        self._tunes = _OneThatFits()

    def is_active(self) -> bool:
        return True

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_device_capability(self, device: int | None = None) -> Any:
        return torch.cuda.get_device_capability()

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return self._tunes

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1)

    def clear_cache(self, cache: torch.Tensor) -> None:
        pass


class _Utils:
    def __init__(self, gpu: Message) -> None:
        self._gpu = gpu

    def get_device_properties(self, device: int) -> Message:
        return {
            "max_shared_mem": self._gpu["shared_bytes"],
            "max_num_regs": 65536,
            "multiprocessor_count": torch.cuda.get_device_properties().multi_processor_count,
            "warpSize": self._gpu["warp_threads"],
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 4096,
        }

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[Any, ...]:
        """Module, function, registers, spills and the most threads of a block.

        How many registers it takes only the device's own loader knows.
        """
        return object(), 1, 32, 0, 1024

    def unload_module(self, module: Any) -> None:
        pass


class _Launcher:
    def __init__(self, source: Any, metadata: Any) -> None:
        pass

    def __call__(self, *_: Any, **__: Any) -> None:
        """Nothing runs."""


class _OneThatFits:
    """In the place of tuning, for which there is no clock: the first setting that compiles."""

    def __init__(self) -> None:
        self._found = False
        run = Autotuner.run

        def begin(tuner: Any, *arguments: Any, **named: Any) -> Any:
            self._found = False
            return run(tuner, *arguments, **named)

        Autotuner.run = begin

    def __call__(self, call: Callable[[], Any], **_: Any) -> list[float]:
        from triton import knobs

        if self._found:
            return [2.0] * 3
        if not knobs.runtime.interpret:  # there none fails to compile, and each call takes long
            call()
        self._found = True
        return [1.0] * 3
