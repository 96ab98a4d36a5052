"""The wire between assay and a worker.

A frame is a 32-bit little-endian length and that many bytes of UTF-8 JSON, always one object, over
a Unix stream socket. Memory travels as descriptors attached to the frame (SCM_RIGHTS), never as
bytes in it, which is why a frame can be held to 1 MiB both ways: whoever answers shortens.
"""

import os
import socket
import struct
from collections.abc import Iterable

# Bound by name: the code of a workload shares this process and may edit `json` or `sys.modules`.
from json import dumps, loads
from typing import Any

VERSION = 1
MAX_FRAME_BYTES = 1 << 20
MAX_DESCRIPTORS = 16
SOCKET_DESCRIPTOR = 3

Message = dict[str, Any]

_LENGTH = struct.Struct("<I")
_DESCRIPTOR = struct.Struct("i")
_ANCILLARY_BYTES = socket.CMSG_SPACE(MAX_DESCRIPTORS * _DESCRIPTOR.size)


class EndOfStream(Exception):
    """assay closed its end between two frames: there is nothing left to do."""


class ProtocolError(Exception):
    """The other end does not speak this protocol; nothing on the stream can be trusted any more."""


class FrameTooLarge(Exception):
    """An answer exceeds the limit. Nothing was sent: a shorter answer may follow."""


class Channel:
    """Frames over one connected Unix stream socket, which the channel owns."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    @classmethod
    def inherited(cls, descriptor: int = SOCKET_DESCRIPTOR) -> "Channel":
        """The channel over the socket that assay left open in this process."""
        return cls(socket.socket(fileno=descriptor))

    def receive(self) -> tuple[Message, list[int]]:
        """Waits for one frame; returns it with its descriptors, which the caller then owns.

        Raises EndOfStream at an end between frames and ProtocolError for anything malformed.
        """
        descriptors: list[int] = []
        try:
            (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, descriptors, may_end=True))
            if length > MAX_FRAME_BYTES:
                raise ProtocolError(f"a frame of {length} bytes; the limit is {MAX_FRAME_BYTES}")
            return _decode(self._exactly(length, descriptors)), descriptors
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            raise

    def answer(self, message: Message) -> None:
        """Sends one frame. Raises FrameTooLarge, having sent nothing, when it exceeds 1 MiB."""
        # Text from user code can hold lone surrogates, which are not UTF-8: they become '?'.
        body = dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        if len(body) > MAX_FRAME_BYTES:
            raise FrameTooLarge(f"an answer of {len(body)} bytes; the limit is {MAX_FRAME_BYTES}")
        self._socket.sendall(_LENGTH.pack(len(body)) + body)

    def _exactly(self, size: int, descriptors: list[int], may_end: bool = False) -> bytes:
        """Reads `size` bytes and never more, so that a descriptor stays with its own frame."""
        data = bytearray()
        while len(data) < size:
            # Not socket.recv_fds: it ignores its flags, so what it receives would survive an exec.
            chunk, ancillary, flags, _ = self._socket.recvmsg(
                size - len(data), _ANCILLARY_BYTES, socket.MSG_CMSG_CLOEXEC
            )
            for level, kind, payload in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    descriptors += (number for (number,) in _DESCRIPTOR.iter_unpack(payload))
            if flags & socket.MSG_CTRUNC:
                raise ProtocolError(f"a frame with more than {MAX_DESCRIPTORS} descriptors")
            if not chunk:
                if may_end and not data:
                    raise EndOfStream
                raise ProtocolError(f"the stream ended {size - len(data)} bytes short of a frame")
            data += chunk
        return bytes(data)


def write_line(descriptor: int, told: Message, behind: Iterable[bytes] = ()) -> None:
    """For what is more than a frame holds: a line of JSON in a file that came with a job, and bytes
    behind it."""
    with open(descriptor, "wb", closefd=False) as file:
        file.write(dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        for content in behind:
            file.write(content)


def _decode(body: bytes) -> Message:
    try:
        message = loads(body.decode("utf-8"))
    except ValueError as error:
        raise ProtocolError(f"a frame is not UTF-8 JSON: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolError("a frame is JSON but not an object")
    return message
