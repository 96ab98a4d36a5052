"""A card of NVIDIA's: the judge's memory there as tensors, and gates before what is queued on it.

Only in the process of one candidate: a fork of who has used CUDA can't. The driver is called by
its C interface, since torch has none for memory of other processes.
"""

import ctypes
import dataclasses
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from assay_worker import hidden_cards
from assay_worker.control_page import Outcome, Report, raised
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.protocol import Message
from assay_worker.sheet import Given

_LIBRARY = "libcuda.so.1"
_ON_DEVICE, _DESCRIPTOR, _READ_AND_WRITE = 1, 1, 3
_WAIT_UNTIL_AT_LEAST = 0
# Memory that is filled, for who reads what it has not written: blocks that torch takes as they are,
# and those that it cuts small ones from.
_FRESH_BYTES, _SMALL_BYTES, _SMALL_BLOCKS = 256 << 20, 1 << 20, 32


class CardError(RuntimeError):
    """The driver refuses what a runner needs."""


class _Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _Access(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


class _Bytes:
    """Memory at an address, as torch takes that of others."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


class Card:
    """The card, as one candidate has it. Makes torch's context there."""

    def __init__(self, given: Given) -> None:
        """Maps the judge's memory, and closes nothing. Raises Unsupported where that fails."""
        layout: Message = given.sheet["card"]
        assert given.card is not None
        hidden_cards.show()
        settle()
        try:
            torch.cuda.init()
            torch.zeros(1, device="cuda")
            self._driver = ctypes.CDLL(_LIBRARY)
            address = self._mapped(given.card, layout["bytes"])
            self._whole = torch.as_tensor(_Bytes(address, layout["bytes"]), device="cuda")
        except (RuntimeError, OSError, AssertionError) as error:
            raise Unsupported(f"torch cannot use the card: {error}") from None
        self._layout = layout
        self._words = address + layout["words"]
        self._path: str = given.sheet["path"]

    def over(self, given: Given) -> Given:
        """The same, with the tensors of calls on the card."""
        parts: dict[str, Any] = {
            name: self._whole[self._layout[name] : self._layout[behind]]
            for name, behind in pairwise(("inputs", "inout", "outputs", "words"))
        }
        return dataclasses.replace(given, memories={**given.memories, **parts})

    def perturb(self, byte: int) -> None:
        """Has torch's fresh memory be full of this byte."""
        blocks = [
            torch.full((size,), byte, dtype=torch.uint8, device="cuda")
            for size in (_FRESH_BYTES, *[_SMALL_BYTES] * _SMALL_BLOCKS)
        ]
        torch.cuda.synchronize()
        del blocks

    def told(self) -> str:
        """What it is, and what torch may do there: for the record."""
        name = torch.cuda.get_device_name(0)
        return f"{name}, torch {torch.__version__}, TF32 and reduced sums off"

    def around(self, window: Callable[[], Report], gate: int) -> Report:
        """A window behind a gate of the judge's; 0: without one, until the card has done it all.

        With a gate the words are on torch's default stream, which whoever uses another one has to
        wait for, as after any operation.
        """
        if gate == 0:
            report = window()
            return self._synchronized(report)
        self._queue("cuStreamWaitValue32_v2", 0, gate, _WAIT_UNTIL_AT_LEAST)
        try:
            return window()
        finally:
            self._queue("cuStreamWriteValue32_v2", 1, gate, 0)

    def profiled(self, window: Callable[[int], Report]) -> Callable[[int], Report]:
        """The same, with a profiler told of all windows but the first.

        That one compiles and tunes what later ones have. Where nobody profiles, all this does
        nothing.
        """
        windows = 0

        def told(calls: int) -> Report:
            nonlocal windows
            windows += 1
            if windows == 1:
                return window(calls)
            torch.cuda.profiler.start()
            try:
                return window(calls)
            finally:
                torch.cuda.profiler.stop()

        return told

    def _synchronized(self, report: Report) -> Report:
        try:
            with blame("exception", self._path):
                torch.cuda.synchronize()
        except Failed as failed:
            if report.outcome is Outcome.FINISHED:
                return raised(failed)
        return report

    def _queue(self, call: str, word: int, value: int, flags: int) -> None:
        self._call(
            call,
            ctypes.c_void_p(torch.cuda.default_stream().cuda_stream),
            ctypes.c_ulonglong(self._words + 4 * word),
            ctypes.c_uint(value),
            ctypes.c_uint(flags),
        )

    def _mapped(self, descriptor: int, size: int) -> int:
        """The address of the judge's memory in this process."""
        handle, address = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        none, length = ctypes.c_ulonglong(0), ctypes.c_size_t(size)
        access = _Access(_Location(_ON_DEVICE, 0), _READ_AND_WRITE)
        self._call(
            "cuMemImportFromShareableHandle",
            ctypes.byref(handle),
            ctypes.c_void_p(descriptor),
            ctypes.c_int(_DESCRIPTOR),
        )
        self._call(
            "cuMemAddressReserve", ctypes.byref(address), length, ctypes.c_size_t(0), none, none
        )
        self._call("cuMemMap", address, length, ctypes.c_size_t(0), handle, none)
        self._call("cuMemSetAccess", address, length, ctypes.byref(access), ctypes.c_size_t(1))
        return address.value

    def _call(self, name: str, *arguments: Any) -> None:
        if answer := getattr(self._driver, name)(*arguments):
            raise CardError(f"{name}: error {answer}")


def settle() -> None:
    """What torch may round on the card, alike for all who are compared: nothing."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
