"""A small judge for the tests: lays out memory, asks an oracle, drives windows of a runner."""

import contextlib
import ctypes
import json
import mmap
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from serving import LAVAPIPE, SEED, STAND_IN, Conversation, Zygote, memory, process
from stand_in import extension
from torch import Tensor

from assay_worker.control_page import BYTES, END, Outcome, WindowKind, _Page
from assay_worker.protocol import Message
from assay_worker.sheet import CPU, span
from assay_worker.tensors import DTYPES_BY_WORD, tensor_in

ALIGNMENT = 64
POISON = 0xA5
PATIENCE_S = 60
_end_window = extension().end_window


class Block:
    """A memory file that grows by tensors, and is then mapped."""

    def __init__(self, name: str) -> None:
        self.name, self.bytes = name, 0
        self.descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
        self._memory: mmap.mmap | None = None

    def place(self, spec: Message, dtype: str = "") -> int:
        """The offset of a new tensor."""
        offset = self.bytes
        size = span(spec) * torch.empty(0, dtype=DTYPES_BY_WORD[dtype or spec["dtype"]]).itemsize
        self.bytes += -(-size // ALIGNMENT) * ALIGNMENT
        return offset

    @property
    def memory(self) -> mmap.mmap | bytearray:
        if self._memory is None:
            os.ftruncate(self.descriptor, self.bytes)
            self._memory = mmap.mmap(self.descriptor, self.bytes) if self.bytes else None
        return self._memory or bytearray()

    def tensor(self, spec: Message, offset: str = "offset") -> Tensor:
        return tensor_in(self.memory, spec, spec[offset])

    def repeat(self, slots: int) -> int:
        """All of it as often as there are slots; how far apart these are."""
        apart, self.bytes, self._memory = self.bytes, self.bytes * slots, None
        _ = self.memory
        return apart

    def poison(self) -> None:
        if self.bytes:
            self.memory[:] = bytes([POISON]) * self.bytes


class Judge:
    """One problem, as its oracle describes it, with memory for all that it takes and gives."""

    def __init__(self, oracle: Conversation, described: Message, constants: dict[str, int]) -> None:
        self.oracle, self.described, self.constants = oracle, described, constants
        names = ("inputs", "inout", "outputs", "constants", "reference", "baseline")
        self.blocks = {name: Block(name) for name in names}
        self.inputs = [self._placed(leaf, n) for n, leaf in enumerate(described["inputs"])]
        self.state = [self._in("constants", each) for each in described["state"]]
        for each in self.state:
            if "same_as" in each:
                each["offset"] = self.state[each["same_as"]]["offset"]
        self.init_tensors = [self._in("constants", each) for each in described["init_tensors"]]
        self.outputs = [
            self._in("outputs", leaf) if "shape" in leaf else leaf for leaf in described["outputs"]
        ]
        self.mutated = [{"input": n, **self.inputs[n]} for n in described["mutated_inputs"]]
        self.wanted = [self._compared(leaf) for leaf in self.outputs]
        self.wanted_inputs = [self._compared(leaf) for leaf in self.mutated]
        for block in self.blocks.values():
            _ = block.memory

    def _in(self, name: str, spec: Message) -> Message:
        return {**spec, "memory": name, "offset": self.blocks[name].place(spec)}

    def _placed(self, leaf: Message, n: int) -> Message:
        if "shape" not in leaf:
            return leaf
        return self._in("inout" if n in self.described["mutated_inputs"] else "inputs", leaf)

    def _compared(self, leaf: Message) -> Message:
        if "shape" not in leaf:
            return leaf
        spec = {k: v for k, v in leaf.items() if k not in ("strides", "memory")}
        wide = "f64" if leaf["dtype"] in ("f32", "f16", "bf16") else leaf["dtype"]
        offsets = {
            "offset": self.blocks["baseline"].place(spec),
            "reference_offset": self.blocks["reference"].place(spec, wide),
        }
        return {**spec, **offsets}

    def descriptors(self, *names: str) -> list[int]:
        return [self.blocks[name].descriptor for name in names]

    def build(self, seed: int = SEED, **more: Any) -> Message:
        request = {"do": "build", "seed": seed, "state": self.state, **more}
        request |= {"init_tensors": self.init_tensors, "constants": self.constants}
        with memory(json.dumps(request)) as sheet:
            return self.oracle.ask(
                {"do": "build", "sheet": True}, sheet, *self.descriptors("constants")
            )

    def draw(
        self,
        seed: int = SEED,
        numbers: Sequence[float | None] = (),
        within: bool = False,
        interior: bool = False,
        **more: Any,
    ) -> Message:
        """With `numbers`, these take the place of what is drawn, but for None."""
        request: Message = {"do": "inputs", "seed": seed, "inputs": self.inputs, **more}
        names = ["inputs", "inout"]
        if interior:
            request["draws"] = {"interior": True}
        if not numbers:
            return self.oracle.ask({**request, "memories": names}, *self.descriptors(*names))
        block, draws = Block("numbers"), request.setdefault("draws", {"within": within})
        for name, dtype in (("numbers", "f32"), ("chosen", "bool")):
            spec = {"dtype": dtype, "shape": [len(numbers)], "memory": "numbers"}
            draws[name] = {**spec, "offset": block.place(spec)}
        block.tensor(draws["numbers"])[:] = torch.tensor([x or 0.0 for x in numbers])
        block.tensor(draws["chosen"])[:] = torch.tensor([x is not None for x in numbers])
        request["memories"] = [*names, "numbers"]
        return self.oracle.ask(request, *self.descriptors(*names), block.descriptor)

    def compute(self, **more: Any) -> Message:
        names = ["inputs", "inout", "reference", "baseline"]
        request = {"do": "compute", "inputs": self.inputs, "outputs": self.wanted, **more}
        request |= {"mutated": self.wanted_inputs, "memories": names}
        answer = self.oracle.ask(request, *self.descriptors(*names))
        assert "computed" in answer, answer
        computed: Message = answer["computed"]
        return computed

    def values(self, memory: str) -> list[Tensor]:
        """Of "outputs", "baseline" or "reference": results, and what inputs were changed to."""
        if memory == "outputs":
            found = [self.blocks[memory].tensor(leaf) for leaf in self.outputs if "shape" in leaf]
            return found + [self.blocks["inout"].tensor(leaf) for leaf in self.mutated]
        wide = memory == "reference"
        result = []
        for leaf in self.wanted + self.wanted_inputs:
            if "shape" in leaf:
                floating = wide and leaf["dtype"] in ("f32", "f16", "bf16")
                spec = {**leaf, "dtype": "f64"} if floating else leaf
                offset = "reference_offset" if wide else "offset"
                result.append(self.blocks[memory].tensor(spec, offset))
        return result

    def sheet(self, **more: Any) -> Message:
        return {
            "inputs": self.inputs,
            "outputs": self.outputs,
            "constants": self.state,
            "init_tensors": self.init_tensors,
            "threads": 1,
            "driver": "local-sync",
            "slots": 1,
            "slot_bytes": {},
            "device": CPU,
            "input_tree": self.described["input_tree"],
            "init_tree": self.described["init_tree"],
            "model": "Model",
            "path": "/somewhere/candidate.py",
            "seed": SEED,
            "mode": "eval",
            "precision": "f32",
            "strict_state": True,
            **more,
        }


class Windows:
    """The judge's end of a runner that is set up."""

    def __init__(
        self, judge: Judge, runner: Conversation, candidate: bytes, sheet: Message
    ) -> None:
        self._judge, self._number = judge, 0
        control = os.memfd_create("control", os.MFD_CLOEXEC)
        os.ftruncate(control, BYTES)
        self._memory = mmap.mmap(control, BYTES)
        self.page = _Page.from_buffer(self._memory)
        self._runner = runner
        names = ("inputs", "outputs", "inout", "constants")
        # What the runner writes to, where the sheet asks for that.
        self._written = os.memfd_create("written", os.MFD_CLOEXEC)
        more = [self._written] if sheet.get("operators") else []
        with memory(json.dumps(sheet)) as written, memory(candidate) as file:
            self.ready = runner.ask(
                {"job": "windows"}, written, control, *judge.descriptors(*names), file, *more
            )
        os.close(control)

    def __enter__(self) -> "Windows":
        return self

    def __exit__(self, *_: object) -> None:
        self._go(END)  # whatever the test found: else it waits for ever
        os.close(self._written)

    def open(self, kind: WindowKind = WindowKind.CALL) -> Outcome:
        """One window; the inputs stand where the judge put them."""
        self._judge.blocks["outputs"].poison()
        self.page.kind = int(kind)
        self.go()
        deadline = time.monotonic() + PATIENCE_S
        while self.page.done != self._number:
            assert time.monotonic() < deadline, "the window never ended"
            time.sleep(1e-4)
        return Outcome(self.page.outcome)

    def go(self) -> None:
        """Lets the runner begin."""
        self._number += 1
        self.page.calls = 1
        self._go(self._number)

    @property
    def text(self) -> str:
        return bytes(self.page.text[: self.page.text_bytes]).decode()

    @property
    def written(self) -> bytes:
        return os.pread(self._written, os.fstat(self._written).st_size, 0)

    def end(self) -> Message:
        self._go(END)
        return self._runner.hear()

    def _go(self, number: int) -> None:
        _end_window(ctypes.addressof(self.page) + _Page.go.offset, number)


@contextlib.contextmanager
def judged(
    oracle: Zygote, source: str | bytes, shrink_bytes: int = 0, **more: Any
) -> Iterator[Judge]:
    """A judge with an oracle that has described the problem; made smaller first, if asked to."""
    with oracle.conversation() as conversation:
        request = {"do": "describe", "path": "/somewhere/problem.py", "mode": "eval"}
        request |= {"precision": "f32", **more}
        with memory(source) as file:
            answer = conversation.ask(request, file)
        assert "described" in answer, answer
        constants: dict[str, int] = {}
        if shrink_bytes:
            shrunk = conversation.ask({"do": "shrink", "bytes": shrink_bytes})["shrunk"]
            constants = shrunk["constants"]
            answer = conversation.ask({"do": "describe", "constants": constants})
            size = answer["described"]["bytes"]
            assert shrunk["bytes"] == size["inputs"] + size["state"] + size["outputs"], shrunk
        yield Judge(conversation, answer["described"], constants)
        assert conversation.ask({"do": "end"}) == {"final": True, "ok": {}}


@contextlib.contextmanager
def iree_on_vulkan() -> Iterator[Conversation]:
    """IREE's runner with lavapipe as the only driver of Vulkan, which is executed for each."""
    driver = str(LAVAPIPE)
    with process(str(STAND_IN), "iree_vulkan", VK_DRIVER_FILES=driver, LP_NUM_THREADS="1") as ours:
        yield Conversation(ours)


def same(got: Sequence[Tensor], wanted: Sequence[Tensor]) -> bool:
    """Bit for bit, but that any NaN is as good as another."""
    return len(got) == len(wanted) and all(
        a.dtype == b.dtype and torch.equal(a.nan_to_num(), b.nan_to_num())
        for a, b in zip(got, wanted, strict=True)
    )
