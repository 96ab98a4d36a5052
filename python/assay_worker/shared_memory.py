"""The memory files that come with a request, by the names that tensors have for them."""

import os
from collections.abc import Sequence

from torch import Tensor

from assay_worker.protocol import Message, ProtocolError
from assay_worker.sheet import Memory, mapped
from assay_worker.tensors import tensor_in


class Memories:
    """Memory files of one request, which are closed at its end.

    `used`: bytes of those that the request is about a part of.
    """

    def __init__(self, descriptors: dict[str, int], used: dict[str, int]) -> None:
        self._descriptors, self._used = descriptors, used
        self._shared: dict[str, Memory] = {}
        self._first = next(iter(descriptors), "")

    @classmethod
    def of(cls, request: Message, descriptors: list[int], usual: Sequence[str]) -> "Memories":
        """Those that a request names, in "memories", or the usual ones. Raises ProtocolError."""
        names = request.get("memories", usual)
        if len(names) != len(descriptors):
            raise ProtocolError(f"{len(descriptors)} descriptors for the memories {names}")
        slots = request.get("slots", 1)
        used = {name: slots * size for name, size in request.get("slot_bytes", {}).items()}
        return cls(dict(zip(names, descriptors, strict=True)), used)

    def __del__(self) -> None:
        for descriptor in self._descriptors.values():
            os.close(descriptor)

    def tensor(self, spec: Message, memory: str = "", offset: int | None = None) -> Tensor:
        """To be written: in the memory named, else in the spec's own, else in the first."""
        name = memory or spec.get("memory", self._first)
        if name not in self._shared:
            descriptor = os.dup(self._descriptors[name])
            all_bytes = os.fstat(descriptor).st_size
            # Of one slot among hundreds, the pages of others are in vain.
            is_whole = 2 * self._used.get(name, all_bytes) >= all_bytes
            self._shared[name] = mapped(descriptor, writable=True, at_once=is_whole)
        return tensor_in(self._shared[name], spec, offset)

    def copies(self) -> "Copies":
        """What lies there, to be read and written without anybody seeing it: copied on write."""
        return Copies(self._descriptors, self._first)


class Copies:
    """Private mappings of memory files."""

    def __init__(self, descriptors: dict[str, int], first: str) -> None:
        self._descriptors, self._first = descriptors, first
        self._private: dict[str, Memory] = {}

    def tensor(self, spec: Message) -> Tensor:
        """The tensor of the spec, with its values now."""
        name = spec.get("memory", self._first)
        if name not in self._private:
            self._private[name] = mapped(os.dup(self._descriptors[name]), True, private=True)
        return tensor_in(self._private[name], spec)
