"""The memory in which the judge and a runner tell each other where a window begins and ends.

The layout of src/run/control_page.h. No torch: every runner in Python uses it.
"""

import ctypes
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Protocol

from assay_worker.failure import Failed

BYTES = 32768
END = 0xFFFFFFFF  # of `go`: end the process
MAX_OUTPUTS = 64
MAX_TEXT_BYTES = 4096
MAX_ADDRESSES = 2816
PUT_BACK = 1  # in the place of an address: the model keeps that memory, and has it as it was
MAX_RANK = 8

# The numbers of include/assay/kernel.h.
DTYPE_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool"), start=1
    )
}


class Outcome(IntEnum):
    """How a window ended."""

    FINISHED = 0
    RAISED = 1
    ODD = 3  # its outputs are not those of the problem; none was copied
    OUT_OF_MEMORY = 4  # as RAISED, for want of memory
    DISK_FULL = 5  # or of room on its disk
    NOT_HERE = 6  # as RAISED, since what it asks for is not here: a device, say


class WindowKind(IntEnum):
    """What the judge wants of a window."""

    CALL = 0
    NULL = 1  # nothing: it measures what a window itself costs
    WATCHED = 2
    PREPARE = 3  # arguments are made, of inputs that are not there yet
    TOLD = 4  # the results of the window before are looked at
    BESIDE = 5  # all of a call's window but the calls: what the judge itself adds to them


@dataclass(frozen=True)
class Reported:
    """What is said of one result."""

    dtype: str = ""  # a word; one that has no number is told as 0
    shape: Sequence[int] | None = None  # None: it is no tensor
    aliased_input: int | None = None  # place of the input whose memory it shares


@dataclass(frozen=True)
class Report:
    """What is said of one window."""

    outcome: Outcome
    outputs: Sequence[Reported] = field(default_factory=list)
    text: str = ""


def raised(failed: Failed, not_here: bool = False) -> Report:
    """Of a window that broke. What is too long loses the beginning of its detail."""
    outcomes = {"out_of_memory": Outcome.OUT_OF_MEMORY, "disk_full": Outcome.DISK_FULL}
    room = max(MAX_TEXT_BYTES - 1 - len(failed.error.encode("utf-8", "replace")), 0)
    detail = failed.detail.encode("utf-8", "replace")
    kept = detail[max(len(detail) - room, 0) :].decode("utf-8", "ignore")
    outcome = outcomes.get(failed.failure_class, Outcome.NOT_HERE if not_here else Outcome.RAISED)
    return Report(outcome, text=f"{failed.error}\n{kept}")


def _call_nothing(_calls: int) -> Report:
    return Report(Outcome.FINISHED)


class _Output(ctypes.Structure):
    _fields_ = (
        ("dtype", ctypes.c_uint32),
        ("rank", ctypes.c_int32),
        ("aliased_input", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("shape", ctypes.c_int64 * MAX_RANK),
    )


class _Page(ctypes.Structure):
    _fields_ = (
        ("go", ctypes.c_uint32),
        ("done", ctypes.c_uint32),
        ("outcome", ctypes.c_uint32),
        ("status", ctypes.c_int32),
        ("output_count", ctypes.c_uint32),
        ("text_bytes", ctypes.c_uint32),
        ("outputs", _Output * MAX_OUTPUTS),
        ("text", ctypes.c_char * MAX_TEXT_BYTES),
        ("submitted", ctypes.c_uint32),  # where work is queued on a device: not here
        ("kind", ctypes.c_uint32),  # a WindowKind
        ("begun", ctypes.c_uint32),
        ("calls", ctypes.c_uint32),
        ("addresses", ctypes.c_uint64 * MAX_ADDRESSES),
        ("gate", ctypes.c_uint32),
    )


assert ctypes.sizeof(_Output) == 80 and _Page.outputs.offset == 24
assert _Page.submitted.offset == 9240 and _Page.kind.offset == 9244
assert _Page.begun.offset == 9248 and _Page.calls.offset == 9252
assert _Page.addresses.offset == 9256 and _Page.gate.offset == 31784
assert ctypes.sizeof(_Page) <= BYTES


# Who does a window of so many calls, by its kind.
Windows = Mapping[WindowKind, Callable[[int], Report]]


def in_place(
    prepare: Callable[[int], Report],
    call: Callable[[int], Report],
    tell: Callable[[int], Report],
    beside: Callable[[int], Report],
) -> Windows:
    """Windows whose results stay where they are: what goes before one, it, what comes after, and
    it without its calls.
    """
    return {
        WindowKind.PREPARE: prepare,
        WindowKind.CALL: call,
        WindowKind.TOLD: tell,
        WindowKind.BESIDE: beside,
    }


class Gates(Protocol):
    """What puts the work of a window behind a gate of the judge's."""

    def around(self, window: Callable[[], Report], gate: int) -> Report:
        """The window, behind the gate of this number; 0: there is none, and all is done then."""
        ...


class ControlPage:
    """The runner's end. Owns the mapping, which lives as long as the process."""

    def __init__(self, descriptor: int) -> None:
        """Maps the page and closes the descriptor."""
        self._memory = mmap.mmap(descriptor, BYTES)
        os.close(descriptor)
        self._page = _Page.from_buffer(self._memory)
        self._go_address = ctypes.addressof(self._page) + _Page.go.offset
        self._done_address = ctypes.addressof(self._page) + _Page.done.offset

    def begin(self) -> None:
        """From here on what goes wrong is the candidate's doing."""
        self._page.begun = 1

    def serve(self, calls: Windows, gates: "Gates | None" = None) -> None:
        """Has each window, of so many calls, done by who does its kind; until the judge wants no
        more. `gates`: of a card, on which calls are queued.
        """
        from assay_worker._zygote import await_window, end_window

        known = {WindowKind.NULL: _call_nothing, **calls}
        number = 0
        while (number := await_window(self._go_address, number)) != END:
            window = known[self._page.kind]
            if gates is None:
                self._tell(window(self._page.calls))
            else:
                self._tell(gates.around(partial(window, self._page.calls), self._page.gate))
            end_window(self._done_address, number)

    def locate(self, addresses: Sequence[int]) -> None:
        """Says where the results of this window's calls begin in this process's memory."""
        self._page.addresses[: len(addresses)] = addresses

    def _tell(self, report: Report) -> None:
        page = self._page
        page.outcome, page.status = int(report.outcome), 0
        page.output_count = len(report.outputs)
        for place, output in zip(page.outputs, report.outputs, strict=False):
            place.dtype = DTYPE_NUMBERS.get(output.dtype, 0)
            place.rank = -1 if output.shape is None else len(output.shape)
            place.aliased_input = 0 if output.aliased_input is None else 1 + output.aliased_input
            for n, size in enumerate((output.shape or ())[:MAX_RANK]):
                place.shape[n] = size
        text = report.text.encode("utf-8", "replace")[:MAX_TEXT_BYTES]
        page.text_bytes = len(text)
        if text:
            ctypes.memmove(ctypes.addressof(page) + _Page.text.offset, text, len(text))
