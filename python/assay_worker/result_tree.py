"""What a test leaves, as a tree that the judge can read without running anything: no pickle.

The file has one line of JSON, and behind it the bytes of all tensors, which the JSON names by their
places. src/verify/result_tree.h reads it.
"""

import json
from typing import Any, BinaryIO

import numpy
import torch

from assay_worker.protocol import Message

MOST_NODES = 100_000
MOST_DEPTH = 32
MOST_BYTES = 1 << 29
MOST_CHARACTERS = 4000


class TooLarge(Exception):
    """Beyond it is no result of a test."""


class _Writer:
    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.bytes = 0
        self._nodes = 0

    def node(self, value: Any, depth: int = 0) -> Message:
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > MOST_DEPTH:
            raise TooLarge(f"a result of more than {MOST_NODES} parts, or {MOST_DEPTH} deep")
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, numpy.ndarray):
            return self._array(value)
        if value is None:
            return {"none": True}
        if isinstance(value, bool | numpy.bool_):
            return {"bool": bool(value)}
        if isinstance(value, int | numpy.integer):
            return {"int": str(int(value))}
        if isinstance(value, float | numpy.floating):
            return {"float": float(value).hex()}
        if isinstance(value, str):
            return {"text": value[:MOST_CHARACTERS]}
        if isinstance(value, dict):
            parts = [[_key(key), self.node(part, depth + 1)] for key, part in value.items()]
            return {"dict": parts}
        if isinstance(value, list):
            return {"list": [self.node(part, depth + 1) for part in value]}
        if isinstance(value, tuple):
            return {"tuple": [self.node(part, depth + 1) for part in value]}
        if isinstance(value, torch.dtype | torch.device):
            return {"text": str(value)}
        return {"other": f"{type(value).__module__}.{type(value).__qualname__}"[:MOST_CHARACTERS]}

    def _tensor(self, tensor: torch.Tensor) -> Message:
        plain = tensor.detach()
        if plain.layout is not torch.strided or plain.is_quantized:
            return {"other": f"a tensor of {plain.layout}"}
        plain = plain.resolve_conj().resolve_neg().contiguous()
        size = plain.numel() * plain.element_size()
        shape = list(plain.shape)
        content = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if size else b""
        return self._bytes(str(plain.dtype).removeprefix("torch."), shape, content)

    def _array(self, array: Any) -> Message:
        if array.dtype.hasobject:
            return {"other": "an array of objects"}
        content = numpy.ascontiguousarray(array).tobytes()
        return self._bytes(str(array.dtype), list(array.shape), content)

    def _bytes(self, dtype: str, shape: list[int], content: bytes) -> Message:
        at = self.bytes
        self.bytes += len(content)
        if self.bytes > MOST_BYTES:
            raise TooLarge(f"results of more than {MOST_BYTES} bytes")
        self.blobs.append(content)
        return {"tensor": dtype, "shape": shape, "at": at, "bytes": len(content)}


def _key(key: Any) -> str:
    """A text as it is; what is none in "<int 4>", so that no text is the same."""
    if not isinstance(key, str):
        return f"<{type(key).__name__} {key!r}>"[:MOST_CHARACTERS]
    return ("<" + key if key.startswith("<") else key)[:MOST_CHARACTERS]


def write(value: Any, file: BinaryIO) -> None:
    """Raises TooLarge, and whatever a value of the candidate's own kind raises."""
    writer = _Writer()
    tree = writer.node(value)
    file.write(json.dumps(tree, ensure_ascii=True).encode() + b"\n")
    for content in writer.blobs:
        file.write(content)
