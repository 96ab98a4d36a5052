"""Files of tensors as hubs have them: a header in JSON, and behind it the bytes of each tensor.

Read here, and not by the package of that name: what is to be kept to is short, and each tensor is
mapped by itself, so that a file takes no memory beyond the model that is loaded from it.
"""

import json
import math
import mmap
import os
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from assay_worker.failure import Explained

# What safetensors' own reader takes at most.
MAX_HEADER_BYTES = 100_000_000
_LENGTH_BYTES = 8
_METADATA = "__metadata__"

TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E4M3FNUZ": torch.float8_e4m3fnuz,
    "F8_E5M2FNUZ": torch.float8_e5m2fnuz,
    "F8_E8M0": torch.float8_e8m0fnu,
    "C64": torch.complex64,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


class BadFile(Explained):
    """It is no such file, or is damaged."""


@dataclass(frozen=True)
class Stored:
    """A tensor in a file."""

    path: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    begin: int  # in the file, bytes
    size: int  # bytes

    def tensor(self) -> Tensor:
        """A view of the file. What is written there stays in this process."""
        if self.size == 0:
            return torch.empty(self.shape, dtype=self.dtype)
        skipped = self.begin % mmap.ALLOCATIONGRANULARITY
        with open(self.path, "rb") as file:
            mapped = mmap.mmap(
                file.fileno(),
                self.size + skipped,
                access=mmap.ACCESS_COPY,  # torch has no tensors that cannot be written
                offset=self.begin - skipped,
            )
        count = math.prod(self.shape)
        return torch.frombuffer(mapped, dtype=self.dtype, count=count, offset=skipped).reshape(
            self.shape
        )


def read(path: str) -> dict[str, Stored]:
    """What is in the file, by name. Raises BadFile."""
    name = os.path.basename(path)
    try:
        file = open(path, "rb")
    except PermissionError:  # a jail that root starts has another user
        raise BadFile(
            f"{name} is not readable for all, as it has to be for the user that reads it in a "
            "jail: chmod a+r it, and a+x the folders that it lies in"
        ) from None
    with file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if size < _LENGTH_BYTES or length > min(MAX_HEADER_BYTES, size - _LENGTH_BYTES):
            raise BadFile(
                f"{name} is no safetensors file, or is cut off: it has {size} bytes, and its "
                f"header would have {length}"
            )
        text = file.read(length)
    try:
        header = json.loads(text.decode(), object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{name}: its header is damaged: {error}") from None
    if not isinstance(header, dict):
        raise BadFile(f"{name}: its header is damaged: it is no object of JSON")
    header.pop(_METADATA, None)
    begin = _LENGTH_BYTES + length
    found = {each: _stored(name, path, each, told, begin) for each, told in header.items()}
    _require_whole(name, found, begin, size)
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _stored(file: str, path: str, name: str, told: Any, begin: int) -> Stored:
    told = told if isinstance(told, dict) else {}
    shape, offsets = told.get("shape"), told.get("data_offsets")
    if not (_are_counts(shape) and _are_counts(offsets) and len(offsets) == 2):
        raise BadFile(f"{file}: its header is damaged: what it says of '{name}' is no tensor")
    dtype = TYPES.get(str(told.get("dtype")))
    if dtype is None:
        raise BadFile(
            f"{file}: '{name}' is of {told.get('dtype')}, a type that is not taken: there are "
            + ", ".join(TYPES)
        )
    first, end = offsets
    if end - first != math.prod(shape) * dtype.itemsize:
        raise BadFile(
            f"{file}: its header is damaged: '{name}' is {told['dtype']}{shape}, and has "
            f"{end - first} bytes"
        )
    return Stored(path, dtype, tuple(shape), begin + first, end - first)


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)


def _require_whole(name: str, found: dict[str, Stored], begin: int, size: int) -> None:
    """One tensor behind the other, and nothing else."""
    at = begin
    for each in sorted(found.values(), key=lambda stored: (stored.begin, stored.size)):
        if each.begin != at:
            raise BadFile(f"{name}: its header is damaged: its tensors overlap, or leave gaps")
        at += each.size
    if at != size:
        what = "is cut off" if at > size else "has more in it than its header says"
        raise BadFile(f"{name} {what}: it has {size} bytes, and its tensors end at {at}")
