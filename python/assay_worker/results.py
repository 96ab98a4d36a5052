"""What a candidate returned: looked at, told, and copied to where the judge reads it."""

from typing import Any

import torch
from torch import Tensor, nn

from assay_worker import sheet
from assay_worker.control_page import MAX_ADDRESSES, Outcome, Report, Reported
from assay_worker.protocol import Message
from assay_worker.sheet import Given, span
from assay_worker.signature import DTYPE_WORDS
from assay_worker.tensors import is_plain, tensor_of

# Bound by name: the candidate may exchange what these names stand for.
_copy = Tensor.copy_
_clone = Tensor.clone
_detach = Tensor.detach
_address = Tensor.data_ptr


class Results:
    """Where the results of a call belong, the one that has the slot."""

    def __init__(self, given: Given, slot: int = 0) -> None:
        self._wanted: list[Message] = given.sheet["outputs"]
        self._places = [tensor_of(given, each, slot) for each in self._wanted]
        self._device = "cuda" if sheet.is_on_card(given.sheet) else "cpu"
        self._inputs = [
            (0, 0) if tensor is None else _range(tensor)
            for tensor in (tensor_of(given, leaf, slot) for leaf in given.sheet["inputs"])
        ]

    def stand_ins(self) -> list[Any]:
        """Others, each as is wanted in its place."""
        return [
            sheet.scalar(wanted) if place is None else _clone(place)
            for wanted, place in zip(self._wanted, self._places, strict=True)
        ]

    def deliver(self, leaves: list[Any]) -> Report:
        """Copies all of them, if each is what is wanted in its place; else none."""
        report = self.told(leaves)
        if report.outcome is Outcome.FINISHED:
            for leaf, place in zip(leaves, self._places, strict=True):
                if place is not None:
                    _copy(place, _detach(leaf))
        return report

    def told(self, leaves: list[Any]) -> Report:
        """What they are, and whether each is what is wanted in its place."""
        if len(leaves) != len(self._wanted):
            told = [self._told(leaf) for leaf in leaves]
            return Report(
                Outcome.ODD, told, f"it returns {len(leaves)} values, not {len(self._wanted)}"
            )
        wrong = ""
        told = []
        for n, (leaf, wanted) in enumerate(zip(leaves, self._wanted, strict=True)):
            if sheet.is_tensor(wanted):
                told.append(self._told(leaf))
                wrong = wrong or _wrong_tensor(f"output {n}", leaf, wanted, self._device)
            else:
                wrong = wrong or _wrong_scalar(f"output {n}", leaf, wanted)
        if wrong:
            return Report(Outcome.ODD, told, wrong)
        return Report(Outcome.FINISHED, told)

    def _told(self, leaf: Any) -> Reported:
        if not isinstance(leaf, Tensor):
            return Reported()
        shape = [int(size) for size in leaf.shape]
        aliased = None
        if not _is_odd(leaf, self._device):
            begin, end = _range(leaf)
            aliased = next(
                (n for n, (b, e) in enumerate(self._inputs) if begin < e and b < end), None
            )
        return Reported(DTYPE_WORDS.get(leaf.dtype, ""), shape, aliased)


def make_dense(leaves: list[Any]) -> None:
    """Puts what has no gaps in the place of what has. Before the next call: it may write there."""
    for n, leaf in enumerate(leaves):
        try:
            if isinstance(leaf, Tensor) and not leaf.is_contiguous():
                leaves[n] = leaf.contiguous()
        except Exception:  # a class of its own may do what it likes
            continue


def copies(leaves: list[Any]) -> list[Any]:
    """Dense ones, of what are tensors; others are as they are."""
    return [_copied(leaf) if is_plain(leaf) else leaf for leaf in leaves]


def overwrite(leaves: list[Any], by: list[Any]) -> None:
    """What was returned, by what stands in its copies now."""
    for leaf, copy in zip(leaves, by, strict=True):
        if copy is leaf:
            continue
        try:
            _copy(_detach(leaf), copy)
        except RuntimeError:  # elements of it share memory: nobody writes there
            continue


def _copied(tensor: Tensor) -> Tensor:
    return _clone(_detach(tensor), memory_format=torch.contiguous_format)


def addresses(returned: list[list[Any]]) -> list[int]:
    """Where the tensors among all calls' results begin; 0 of what has no memory here: it is told
    later.
    """
    found = []
    for leaves in returned:
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                continue
            try:
                found.append(_address(leaf))
            except Exception:  # a class of its own may do what it likes
                found.append(0)
    return found[:MAX_ADDRESSES]


def _wrong_tensor(name: str, leaf: Any, wanted: Message, device: str) -> str:
    """What keeps `leaf` from being the tensor that is wanted; empty: nothing."""
    if not isinstance(leaf, Tensor):
        return f"{name} is {type(leaf).__name__}, not a tensor"
    if odd := _is_odd(leaf, device):
        return f"{name} is {odd}"
    dtype, shape = DTYPE_WORDS.get(leaf.dtype, str(leaf.dtype)), list(leaf.shape)
    if (dtype, shape) != (wanted["dtype"], wanted["shape"]):
        return f"{name} is {dtype}{shape}, not {wanted['dtype']}{wanted['shape']}"
    return ""


def _is_odd(tensor: Tensor, device: str) -> str:
    """What a tensor is that may have no numbers yet, or elsewhere; empty: it is a plain one."""
    if type(tensor) not in (Tensor, nn.Parameter):
        return f"a tensor of the class {type(tensor).__name__}"
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        return f"a tensor of the layout {tensor.layout}"
    if tensor.device.type != device:
        return f"a tensor on the device {tensor.device}"
    if tensor.numel() > 0 and _address(tensor) == 0:
        return "a tensor without memory"
    return ""


def _wrong_scalar(name: str, leaf: Any, wanted: Message) -> str:
    if sheet.is_same(leaf, wanted):
        return ""
    return f"{name} is {str(leaf)[:100]!r}, not {sheet.scalar(wanted)!r}"


def _range(tensor: Tensor) -> tuple[int, int]:
    """The addresses from its first element to behind its last."""
    spec = {"shape": list(tensor.shape), "strides": list(tensor.stride())}
    begin = _address(tensor)
    return begin, begin + span(spec) * tensor.element_size()
