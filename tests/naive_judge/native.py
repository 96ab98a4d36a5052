"""Calls a native kernel: include/assay/kernel.h, by way of ctypes.

Every tensor has pages of its own, with a red zone of at least 4 KiB before and after it: NaN around
what is read, so that a value from there shows in the result; a pattern around what is written.
With `guard`, inputs and constants are read-only while the kernel runs: writing one is a SIGSEGV.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

ABI = 1
DTYPES = {
    torch.float64: 1,
    torch.float32: 2,
    torch.float16: 3,
    torch.bfloat16: 4,
    torch.int64: 5,
    torch.int32: 6,
    torch.int16: 7,
    torch.int8: 8,
    torch.uint8: 9,
    torch.bool: 10,
}
RED_ZONE_BYTES = 4096
PATTERN = 0xA5


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("name", ctypes.c_char_p),
        ("memory", ctypes.c_int32),
    ]


class Scalar(ctypes.Structure):
    _fields_ = [
        ("number", ctypes.c_double),
        ("integer", ctypes.c_int64),
        ("is_integer", ctypes.c_int32),
    ]


class Call(ctypes.Structure):
    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("threads", ctypes.c_int32),
        ("input_count", ctypes.c_int32),
        ("constant_count", ctypes.c_int32),
        ("output_count", ctypes.c_int32),
        ("scalar_count", ctypes.c_int32),
        ("inputs", ctypes.POINTER(Tensor)),
        ("constants", ctypes.POINTER(Tensor)),
        ("outputs", ctypes.POINTER(Tensor)),
        ("scalars", ctypes.POINTER(Scalar)),
        ("kept", ctypes.POINTER(ctypes.c_void_p)),
        ("device", ctypes.c_char_p),
        ("device_index", ctypes.c_int32),
        ("stream", ctypes.c_void_p),
    ]


class Declined(Exception):
    """The kernel returned something other than 0."""


class Zone:
    """Memory for one tensor: red zone, the storage of the tensor, red zone."""

    def __init__(self, like: torch.Tensor, name: str, *, writable: bool) -> None:
        self.bytes = like.untyped_storage().nbytes()
        pages = -(-self.bytes // mmap.PAGESIZE) + 2
        self.memory = mmap.mmap(-1, pages * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
        self.fill = PATTERN if writable else 0xFF
        whole = torch.frombuffer(self.memory, dtype=torch.uint8)
        whole.fill_(self.fill)
        self.address = whole.data_ptr()
        self.before = whole[:RED_ZONE_BYTES]
        self.storage = whole[RED_ZONE_BYTES : RED_ZONE_BYTES + self.bytes]
        self.after = whole[RED_ZONE_BYTES + self.bytes :]
        self.size = len(whole)
        offset = like.storage_offset() * like.element_size()
        flat = self.storage[offset:].view(like.dtype) if self.bytes else torch.empty(0)
        self.tensor = torch.as_strided(flat, like.shape, like.stride()) if self.bytes else like
        rank = like.dim()
        # Both live as long as the structure that points to them.
        self.shape = (ctypes.c_int64 * max(rank, 1))(*like.shape)
        self.strides = (ctypes.c_int64 * max(rank, 1))(*like.stride())
        self.described = Tensor(
            self.address + RED_ZONE_BYTES + offset,
            self.shape,
            self.strides,
            rank,
            DTYPES[like.dtype],
            name.encode(),
        )

    def protect(self, on: bool) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        mode = mmap.PROT_READ if on else mmap.PROT_READ | mmap.PROT_WRITE
        if libc.mprotect(ctypes.c_void_p(self.address), ctypes.c_size_t(self.size), mode) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")

    def intact(self) -> bool:
        return bool((self.before == self.fill).all() and (self.after == self.fill).all())


class Kernel:
    """A loaded kernel with its memory, which stays where it is from call to call."""

    def __init__(
        self,
        library: Path,
        inputs: Sequence[Any],
        constants: Sequence[tuple[str, torch.Tensor]],
        outputs: Sequence[torch.Tensor],
        init_scalars: Sequence[Any] = (),
        *,
        threads: int = 1,
        mutated: Sequence[int] = (),
        guard: bool = False,
    ) -> None:
        """`inputs` are the leaves of one call, numbers among them; `outputs` say shapes and dtypes.

        `mutated` are positions among the tensors of `inputs` that the problem changes in place.
        """
        self.entry = ctypes.CDLL(str(library)).assay_kernel
        self.entry.argtypes = [ctypes.POINTER(Call)]
        self.entry.restype = ctypes.c_int
        self.guard = guard
        tensors = [leaf for leaf in inputs if isinstance(leaf, torch.Tensor)]
        self.inputs = [Zone(t, "", writable=i in mutated) for i, t in enumerate(tensors)]
        self.locked = [zone for i, zone in enumerate(self.inputs) if i not in mutated]
        self.constants = []
        for name, value in constants:
            zone = Zone(value.detach(), name, writable=False)
            zone.tensor.copy_(value.detach())
            self.constants.append(zone)
        self.outputs = [
            Zone(torch.empty(t.shape, dtype=t.dtype), "", writable=True) for t in outputs
        ]
        self.init_scalars = [v for v in init_scalars if isinstance(v, (bool, int, float))]
        self.kept = ctypes.c_void_p(None)
        self.threads = threads

    def call_of(self, inputs: Sequence[Any]) -> Call:
        """Copies the tensors in, and describes the call: `entry` takes its address."""
        tensors = [leaf for leaf in inputs if isinstance(leaf, torch.Tensor)]
        for zone, value in zip(self.inputs, tensors, strict=True):
            zone.tensor.copy_(value)
        numbers = [v for v in inputs if isinstance(v, (bool, int, float))] + self.init_scalars
        scalars = [Scalar(float(v), int(v), not isinstance(v, float)) for v in numbers]
        for zone in self.outputs:
            zone.storage.fill_(PATTERN)
        return Call(
            ABI,
            self.threads,
            len(self.inputs),
            len(self.constants),
            len(self.outputs),
            len(scalars),
            (Tensor * max(len(self.inputs), 1))(*[zone.described for zone in self.inputs]),
            (Tensor * max(len(self.constants), 1))(*[zone.described for zone in self.constants]),
            (Tensor * max(len(self.outputs), 1))(*[zone.described for zone in self.outputs]),
            (Scalar * max(len(scalars), 1))(*scalars),
            ctypes.pointer(self.kept),
            b"cpu",
        )

    def __call__(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """Copies the tensors in, calls, and returns views of the outputs. Raises Declined."""
        call = self.call_of(inputs)
        locked = self.locked + self.constants if self.guard else []
        for zone in locked:
            zone.protect(True)
        code = self.entry(ctypes.byref(call))
        for zone in locked:
            zone.protect(False)
        if code != 0:
            raise Declined(f"the kernel returned {code}")
        return [zone.tensor for zone in self.outputs]

    def red_zones_intact(self) -> bool:
        return all(zone.intact() for zone in [*self.inputs, *self.constants, *self.outputs])

    def unwritten(self) -> int:
        """Elements of outputs that still hold the pattern; single bytes may hold it by chance."""
        count = 0
        for zone in self.outputs:
            width = zone.tensor.element_size()
            if width > 1:
                rows = zone.storage.view(-1, width)
                count += int((rows == PATTERN).all(dim=1).sum())
        return count
