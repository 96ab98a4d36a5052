"""Tensors in memory that is shared: where a sheet says that they lie."""

import warnings
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker.protocol import Message
from assay_worker.sheet import Given, Memory, in_slot, is_tensor, span, strides_of
from assay_worker.signature import DTYPE_WORDS

DTYPES_BY_WORD = {word: dtype for dtype, word in DTYPE_WORDS.items()}


def is_plain(value: Any) -> bool:
    """Whether it is torch's own kind of tensor, with numbers in memory."""
    return type(value) in (Tensor, nn.Parameter) and value.layout is torch.strided


def tensor_in(memory: Memory, spec: Message, offset: int | None = None) -> Tensor:
    """The tensor {"dtype", "shape", "strides"?, "offset"}, in the memory itself, not a copy.

    Writing into it ends the process where the memory is read-only. Raises ValueError where it does
    not lie within the memory.
    """
    dtype, shape = DTYPES_BY_WORD[spec["dtype"]], spec["shape"]
    elements = span(spec)
    begin = spec["offset"] if offset is None else offset
    if isinstance(memory, Tensor):
        end = begin + elements * dtype.itemsize
        return memory[begin:end].view(dtype).as_strided(shape, strides_of(spec))
    if elements == 0:
        return torch.empty_strided(shape, strides_of(spec), dtype=dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given buffer is not writable")
        flat = torch.frombuffer(
            memory,
            dtype=dtype,
            count=elements,
            offset=begin,
        )
    return flat.as_strided(shape, strides_of(spec))


def tensor_of(given: Given, leaf: Message, slot: int = 0) -> Tensor | None:
    """The tensor of a leaf of the sheet as one call of a window has it; None: it is no tensor."""
    if not is_tensor(leaf):
        return None
    return tensor_in(given.memories[leaf["memory"]], in_slot(given.sheet, leaf, slot))


def write(place: Tensor, value: Tensor) -> None:
    """Copies into memory in which elements may be one and the same, as an expanded tensor's are.

    Raises RuntimeError where they overlap in another way, and where type or shape are not the same.
    """
    if (place.dtype, place.shape) != (value.dtype, value.shape):
        found = f"{value.dtype} of the shape {list(value.shape)}"
        raise RuntimeError(f"{found} is now what was {place.dtype}, {list(place.shape)}")
    for dimension, stride in enumerate(place.stride()):
        if stride == 0 and place.shape[dimension] > 1:
            place, value = place.narrow(dimension, 0, 1), value.narrow(dimension, 0, 1)
    place.copy_(value)


def spec_of(tensor: Tensor) -> Message:
    """{"dtype", "shape"} and, where it has gaps or another order, "strides"."""
    spec: Message = {"dtype": DTYPE_WORDS[tensor.dtype], "shape": list(tensor.shape)}
    strides = list(tensor.stride())
    if strides != strides_of(spec) and tensor.numel() > 1:
        spec["strides"] = strides
    return spec


def bytes_of(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())
