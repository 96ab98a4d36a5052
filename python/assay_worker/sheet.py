"""What a runner is given: a sheet, which says what lies where, and the memory it speaks of."""

import json
import mmap
import os
from dataclasses import dataclass
from typing import Any

from assay_worker.failure import Unsupported
from assay_worker.protocol import Message, ProtocolError

# What a buffer of Python can be made of: a mapping, or nothing at all, which can't be mapped. Of a
# card it is a tensor of bytes there (card.py).
Memory = mmap.mmap | bytearray | Any

JOB = "windows"
_DESCRIPTORS = 7


# What the runners in Python serve: src/model/device.h says what the words mean.
CPU: Message = {"kind": "cpu", "index": 0, "stream": "synchronous", "memory": "host"}
CUDA: Message = {"kind": "cuda", "index": 0, "stream": "queued", "memory": "device"}
# By IREE's runtime, which copies what a call is given to the device, and what it leaves back.
VULKAN: Message = {"kind": "vulkan", "index": 0, "stream": "synchronous", "memory": "host"}


@dataclass(frozen=True)
class Given:
    """A job of a runner. Descriptors are its own."""

    sheet: Message
    control_page: int
    memories: dict[str, Memory]  # by the words that tensors have for them
    candidate: bytes
    extensions: list[int]  # libraries, as the sheet's "extensions" name them
    written: int | None = None  # where what is asked for is written to: kernels, or operators
    left: int | None = None  # a file in memory, for what compiling leaves (left_program.py)
    card: int | None = None  # memory on a card, which holds inputs and results there


def read(job: Message, descriptors: list[int]) -> Given:
    """Takes apart the one frame that a runner gets: {"job": "windows"}, with descriptors of
    the sheet, the control page, the inputs, the outputs, the inputs that are changed, the
    constants, the candidate, its extensions, and, where the sheet has it so, of the file for what
    compiling leaves; where kernels are compiled or operators counted, of the file for that; and of
    memory on a card. All are closed but the control page's and those behind the candidate's.
    Raises ProtocolError.
    """
    if job.get("job") != JOB or len(descriptors) < _DESCRIPTORS:
        raise ProtocolError(
            f"the job {job.get('job')!r} with {len(descriptors)} descriptors: a runner takes "
            f"{JOB!r} with {_DESCRIPTORS}, and one for each extension"
        )
    written, control_page, inputs, outputs, inout, constants, candidate, *extensions = descriptors
    sheet = json.loads(content(written))
    card = extensions.pop() if "card" in sheet else None
    writes = sheet.get("gpu", {}).get("compile") or sheet.get("operators")
    written_to = extensions.pop() if writes else None
    left = extensions.pop() if sheet.get("leaves") else None
    return Given(
        sheet,
        control_page,
        {
            "inputs": mapped(inputs),
            "outputs": mapped(outputs, writable=True),
            "inout": mapped(inout, writable=True),
            "constants": mapped(constants, private=True),
        },
        content(candidate),
        extensions,
        written_to,
        left,
        card,
    )


def slots(sheet: Message) -> int:
    """How many calls a window may have: so often all memory but the constants' is there."""
    count: int = sheet["slots"]
    return count


def in_slot(sheet: Message, leaf: Message, slot: int) -> Message:
    """A leaf of the sheet, which is of the first slot, as it is in another one."""
    if slot == 0 or not is_tensor(leaf):
        return leaf
    apart = sheet["slot_bytes"].get(leaf["memory"], 0)  # constants are there once
    return leaf | {"offset": leaf["offset"] + slot * apart}


def check_device(sheet: Message) -> None:
    """Raises Unsupported unless the sheet asks for the CPU, and tensors in the host's memory; or
    for a card of NVIDIA's, and tensors there. Of Vulkan the runner of IREE's artifacts knows.
    """
    asked = sheet["device"]
    if asked not in (CPU, CUDA):
        raise Unsupported(f"it is called on the CPU or on CUDA, and not on {asked['kind']}")


def is_on_card(sheet: Message) -> bool:
    """Whether it is to be called on a card."""
    return bool(sheet["device"] == CUDA)


def content(descriptor: int) -> bytes:
    """All of a memory file, which is closed."""
    with open(descriptor, "rb") as file:
        file.seek(0)  # the offset is shared with whom wrote it
        return file.read()


def mapped(
    descriptor: int, writable: bool = False, private: bool = False, at_once: bool = False
) -> Memory:
    """Maps a whole memory file and closes it.

    Shared, unless it is `private`: then it may be sealed against all writing (kernels before 6.7
    share no such memory), and what is written stays in this process. `at_once`: not page by page
    when each is touched first, which costs more where all of them are.
    """
    size = os.fstat(descriptor).st_size
    flags = mmap.MAP_PRIVATE if private else mmap.MAP_SHARED
    if at_once:
        flags |= mmap.MAP_POPULATE
    protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
    try:
        return mmap.mmap(descriptor, size, flags, protection) if size else bytearray()
    finally:
        os.close(descriptor)


def row_major(shape: list[int]) -> list[int]:
    """The strides, in elements, of a tensor without gaps."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def strides_of(tensor: Message) -> list[int]:
    """Those of a tensor in a sheet, which leaves them out where it has no gaps."""
    strides: list[int] = tensor.get("strides") or row_major(tensor["shape"])
    return strides


def span(tensor: Message) -> int:
    """Elements from the first to behind the last."""
    if 0 in tensor["shape"]:
        return 0
    steps = zip(tensor["shape"], strides_of(tensor), strict=True)
    return 1 + int(sum((size - 1) * stride for size, stride in steps))


def is_tensor(leaf: Message) -> bool:
    return "shape" in leaf


def scalar(leaf: Message) -> Any:
    """The value of a leaf that is no tensor: {"scalar": 3}, or {"float": "nan"}."""
    return float(leaf["float"]) if "float" in leaf else leaf["scalar"]


def is_same(value: Any, leaf: Message) -> bool:
    """Whether a value is that of a leaf that is no tensor: 1 is not True, and nan is nan."""
    known = scalar(leaf)
    if type(value) is not type(known):
        return False
    return bool(value == known or (value != value and known != known))
