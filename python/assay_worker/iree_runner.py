"""Runs one artifact of IREE's in windows, without torch: a worker of the image `iree`. What is
compiled for Vulkan is run by that, where the sheet names such a device: by the role `iree_vulkan`,
which is started for each, with an environment of its own.

A program is main(inputs that are tensors, state) -> (results that are tensors, new state, new
values of inputs that the call changes). Each window begins with the state of the constants, and
what a call makes of it is dropped: a window is alone.
"""

import contextlib
import ctypes
import gc
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy
from iree import runtime
from iree.runtime import HalElementType

from assay_worker import sheet, vulkan_device
from assay_worker.control_page import (
    ControlPage,
    Outcome,
    Report,
    Reported,
    WindowKind,
    Windows,
    in_place,
    raised,
)
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.protocol import Channel, EndOfStream, Message
from assay_worker.sheet import Given, Memory, is_tensor, span, strides_of

# What numpy has for the bytes of an element; it has no bf16, and IREE does not look.
_NUMPY = {
    "f64": "<f8",
    "f32": "<f4",
    "f16": "<f2",
    "bf16": "<u2",
    "i64": "<i8",
    "i32": "<i4",
    "i16": "<i2",
    "i8": "i1",
    "u8": "u1",
    "bool": "u1",
}

# Which of IREE's element types are taken for a word; integers come with a sign and without one.
ELEMENTS = {
    "f64": (HalElementType.FLOAT_64,),
    "f32": (HalElementType.FLOAT_32,),
    "f16": (HalElementType.FLOAT_16,),
    "bf16": (HalElementType.BFLOAT_16,),
    "i64": (HalElementType.SINT_64, HalElementType.INT_64),
    "i32": (HalElementType.SINT_32, HalElementType.INT_32),
    "i16": (HalElementType.SINT_16, HalElementType.INT_16),
    "i8": (HalElementType.SINT_8, HalElementType.INT_8),
    "u8": (HalElementType.UINT_8, HalElementType.INT_8),
    "bool": (HalElementType.BOOL_8,),
}
# As a view has them.
_NUMBERS = {word: frozenset(map(int, elements)) for word, elements in ELEMENTS.items()}

_IN_FORK = "assay_worker._zygote"  # loaded by who forks, and by nobody else

_ALIGNMENT = 64  # that IREE asks of memory which it does not own
# Of each thread of `local-task`: what Linux gives the one that calls by `local-sync`. The runtime's
# own 128 KiB are not enough for what IREE makes of gatv2-loops@base.
_WORKER_STACK_BYTES = 8 << 20
_USAGE = runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING
_BYTE = numpy.dtype("u1")
_NO_BYTES = numpy.empty(0, _BYTE)


def run() -> int:
    """Does one job over descriptor 3; returns the exit status."""
    gc.enable()
    with contextlib.suppress(EndOfStream):
        work(Channel.inherited())
    return 0


def work(channel: Channel) -> None:
    """Does one job. Raises EndOfStream where there is none."""
    given = sheet.read(*channel.receive())
    if given.sheet.get("perturb") and _IN_FORK in sys.modules:
        import_module(_IN_FORK).perturb_memory(given.sheet["perturb"])
    page = ControlPage(given.control_page)
    try:
        is_on_vulkan = given.sheet["device"] == sheet.VULKAN
        if not is_on_vulkan:
            sheet.check_device(given.sheet)
        page.begin()
        with blame("load", "the artifact"):
            usual = EmptyProgram if given.sheet.get("empty") else Program
            program = OnVulkan(given) if is_on_vulkan else usual(given)
    except (Failed, Unsupported) as finding:
        channel.answer(finding.answer())
        return
    device = sheet.VULKAN if is_on_vulkan else sheet.CPU
    channel.answer({"ready": True, "device": device, **program.facts()})
    page.serve(
        InPlace(program, page).calls()
        if given.sheet.get("in_place")
        else {WindowKind.CALL: program.call, WindowKind.BESIDE: program.beside}
    )
    channel.answer({"final": True, "ok": {}})


class Program:
    """An artifact that is loaded, with its parameters."""

    def __init__(self, given: Given) -> None:
        job = given.sheet
        self.driver: str = job["driver"]
        if self.driver == "local-task":
            # As many, whatever cores there are: a jail shows none, and the runtime would take one.
            runtime.flags.parse_flags(
                f"--task_topology_group_count={job['threads']}",
                f"--task_worker_stack_size={_WORKER_STACK_BYTES}",
            )
        self._device = runtime.get_device(self.driver)
        self._load(given)
        by_name = {each["name"]: each for each in job["constants"]}
        state = [by_name[each["name"]] for each in job.get("state", ())]
        inputs = [leaf for leaf in job["inputs"] if is_tensor(leaf)]
        outputs = [leaf for leaf in job["outputs"] if is_tensor(leaf)]
        mutated = [job["inputs"][n] for n in job.get("mutated_inputs", ())]
        self._leaves = [*outputs, *state, *mutated]  # of the results
        self._wanted = [(_NUMBERS[leaf["dtype"]], leaf["shape"]) for leaf in self._leaves]

        def placed(leaf: Message, slot: int) -> Any:
            return _array_in(given.memories[leaf["memory"]], sheet.in_slot(job, leaf, slot))

        # Of each slot: arguments, and where results belong; state has no place.
        self._slots = [
            (
                [(placed(leaf, n), ELEMENTS[leaf["dtype"]][0]) for leaf in [*inputs, *state]],
                [
                    *(placed(leaf, n) for leaf in outputs),
                    *(None for _ in state),
                    *(placed(leaf, n) for leaf in mutated),
                ],
            )
            for n in range(sheet.slots(job))
        ]
        # Whether IREE reads inputs in the judge's memory. If not, arguments are copies, of what is
        # there when they are made.
        self.reads_in_place = all(
            array.size == 0 or _is_lent(array)
            for arguments, _ in self._slots
            for array, _ in arguments[: len(inputs)]
        )
        self._last: Any = None  # results of the last call
        self._outputs = range(len(outputs))
        self._mutated = range(len(outputs) + len(state), len(self._leaves))

    def _load(self, given: Given) -> None:
        job, constants = given.sheet, given.memories["constants"]
        instance = runtime.VmInstance()
        index = runtime.ParameterIndex()
        self._kept = []  # memory that IREE reads from, and does not own
        for each in job["constants"]:
            array = _bytes_in(constants, each)
            index.add_buffer(each["name"], array)
            self._kept.append(array)
        scope = job.get("parameter_scope", "model")
        module = runtime.VmModule.copy_buffer(instance, given.candidate)
        modules = [
            runtime.create_hal_module(instance, self._device),
            runtime.create_io_parameters_module(instance, index.create_provider(scope)),
            module,
        ]
        self._context = runtime.VmContext(instance, modules)
        self._function = module.lookup_function(job.get("function", "main"))
        if self._function is None:
            raise LookupError(f"the artifact has no function {job.get('function', 'main')!r}")

    def facts(self) -> Message:
        """What a record says of how it is run."""
        return {"parameters": "copied", "driver": self.driver}

    def call(self, calls: int) -> Report:
        """One window."""
        report = Report(Outcome.FINISHED)
        try:
            with blame("exception", "the artifact"):
                for slot in range(calls):
                    results = self.invoke(self.arguments(slot))
                    self._last = results
                    report = self.told(results)
                    if report.outcome is not Outcome.FINISHED:
                        break
                    self._deliver(results, slot, [*self._outputs, *self._mutated])
        except Failed as failed:
            return raised(failed)
        return report

    def beside(self, calls: int) -> Report:
        """A window without its calls: the last one's results are delivered again."""
        for slot in range(calls):
            self.arguments(slot)
            self.told(self._last)
            self._deliver(self._last, slot, [*self._outputs, *self._mutated])
        return Report(Outcome.FINISHED)

    def arguments(self, slot: int) -> Any:
        """Of the slot's call. What they point to is the judge's memory, where IREE can read it."""
        given, _ = self._slots[slot]
        arguments = runtime.VmVariantList(len(given))
        for array, element in given:
            arguments.push_ref(self._view(array, element))
        return arguments

    def invoke(self, arguments: Any) -> Any:
        """One call; its results."""
        results = runtime.VmVariantList(len(self._leaves))
        self._context.invoke(self._function, arguments, results)
        return results

    def _view(self, array: Any, element: HalElementType) -> Any:
        if not _is_lent(array):
            return self._uploaded(array, element)
        # It takes no memory that is for reading, and does not write to any.
        memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
        kind = runtime.MemoryType.HOST_LOCAL | runtime.MemoryType.DEVICE_VISIBLE
        buffer = self._device.allocator.import_host_allocation(memory, int(kind), _USAGE)
        return runtime.HalBufferView(buffer, list(array.shape), int(element))

    def _uploaded(self, array: Any, element: HalElementType) -> Any:
        return self._device.allocator.allocate_buffer_copy(
            memory_type=runtime.MemoryType.DEVICE_LOCAL,
            allowed_usage=_USAGE,
            device=self._device,
            buffer=numpy.asarray(array, order="C"),  # copies only what has gaps
            element_type=element,
        )

    def bytes_of(self, view: Any) -> Any:
        """The memory of a result. By its buffer: the array that IREE would make takes longer."""
        return numpy.frombuffer(view.map(), _BYTE) if view.byte_length else _NO_BYTES

    def outputs_of(self, results: Any) -> list[Any]:
        """Views of them, as far as there are any."""
        return [_view_of(results, n) for n in range(min(len(self._outputs), results.size))]

    def are_wanted(self, results: Any, outputs: list[Any]) -> bool:
        """Whether told() would find nothing wrong. In no time: a window has many calls."""
        views = outputs
        if len(self._leaves) > len(outputs):
            views = [*outputs, *(_view_of(results, n) for n in range(len(outputs), results.size))]
        if len(views) != len(self._leaves) or results.size != len(views):
            return False
        for view, (numbers, shape) in zip(views, self._wanted, strict=True):
            if view.element_type not in numbers or view.shape != shape:
                return False
        return True

    def told(self, results: Any) -> Report:
        """What it has returned, and what is wrong with that."""
        views = [_view_of(results, n) for n in range(results.size)]
        found = [
            (_word(view, wanted["dtype"]), view.shape)
            for view, wanted in zip(views, self._leaves, strict=False)
        ]
        told = [Reported(*each) for _, each in zip(self._outputs, found, strict=False)]
        if len(views) != len(self._leaves):
            text = f"it returns {len(views)} tensors, not {len(self._leaves)}"
            return Report(Outcome.ODD, told, text)
        for n, ((word, shape), wanted) in enumerate(zip(found, self._leaves, strict=True)):
            if word != wanted["dtype"] or shape != wanted["shape"]:
                text = f"result {n} is {word}{shape}, not {wanted['dtype']}{wanted['shape']}"
                return Report(Outcome.ODD, told, text)
        return Report(Outcome.FINISHED, told)

    def leave(self, results: Any, slot: int) -> list[Any]:
        """Its outputs; what else belongs to the judge is copied there."""
        self._deliver(results, slot, self._mutated)
        return self.outputs_of(results)

    def _deliver(self, results: Any, slot: int, which: Iterable[int]) -> None:
        """Copies results that are as they should be to where the judge reads them."""
        _, places = self._slots[slot]
        for n in which:
            if places[n].size:
                found = self.bytes_of(_view_of(results, n))
                numpy.copyto(places[n], found.view(places[n].dtype).reshape(places[n].shape))


class EmptyProgram(Program):
    """In the place of an artifact: its calls do nothing, and return the same zeros each time."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._zeros = [
            self._uploaded(
                numpy.zeros(leaf["shape"], _NUMPY[leaf["dtype"]]), ELEMENTS[leaf["dtype"]][0]
            )
            for leaf in self._leaves
        ]

    def _load(self, given: Given) -> None:
        # No list takes a view before its type is known.
        self._types = runtime.create_hal_module(runtime.VmInstance(), self._device)

    def invoke(self, arguments: Any) -> Any:
        results = runtime.VmVariantList(len(self._leaves))
        for zeros in self._zeros:
            results.push_ref(zeros)
        return results


class OnVulkan(Program):
    """On a device with memory of its own. What that lacks of what the code asks for comes first."""

    def __init__(self, given: Given) -> None:
        found = vulkan_device.device()
        vulkan_device.check(given.candidate, found)
        self._name = found.name
        super().__init__(given)

    def facts(self) -> Message:
        return {**super().facts(), "device_name": self._name}

    def _view(self, array: Any, element: HalElementType) -> Any:
        return self._uploaded(array, element)

    def bytes_of(self, view: Any) -> Any:
        """A copy: results lie where no process can map them."""
        if not view.byte_length:
            return _NO_BYTES
        copy = self._device.allocator.allocate_buffer(
            memory_type=runtime.MemoryType.HOST_LOCAL | runtime.MemoryType.DEVICE_VISIBLE,
            allowed_usage=runtime.BufferUsage.TRANSFER_TARGET | runtime.BufferUsage.MAPPING_SCOPED,
            allocation_size=view.byte_length,
        )
        done = self._device.create_semaphore(0)
        self._device.queue_copy(
            view.get_buffer(),
            copy,
            wait_semaphores=runtime.HalFence.create_at(done, 0),
            signal_semaphores=runtime.HalFence.create_at(done, 1),
        )
        runtime.HalFence.create_at(done, 1).wait()
        return numpy.frombuffer(copy.map(), _BYTE)[: view.byte_length]


class InPlace:
    """Windows that cost little beside the calls: results stay where they are."""

    def __init__(self, program: Program, page: ControlPage) -> None:
        self._program, self._page = program, page
        self._arguments: list[Any] = []
        self._results: list[Any] = []  # of each call
        self._outputs: list[list[Any]] = []  # of each: to ask results for them takes microseconds

    def calls(self) -> Windows:
        return in_place(self._prepare, self._call, self._tell, self._beside)

    def _prepare(self, calls: int) -> Report:
        # They point to the judge's memory, where it is for good: made once, whatever it holds.
        if self._program.reads_in_place:
            made = len(self._arguments)
            self._arguments += map(self._program.arguments, range(made, calls))
        return Report(Outcome.FINISHED)

    def _call(self, calls: int) -> Report:
        program = self._program
        try:
            with blame("exception", "the artifact"):
                arguments = self._arguments[:calls] or map(program.arguments, range(calls))
                # The former window's results go now, in time that counts: their memory is part of
                # what the program costs.
                self._results, self._outputs = [], []
                self._results = [program.invoke(each) for each in arguments]
                self._locate()
        except Failed as failed:
            return raised(failed)
        return Report(Outcome.FINISHED)

    def _beside(self, calls: int) -> Report:
        self._results = [self._results[slot % len(self._results)] for slot in range(calls)]
        self._locate()
        return Report(Outcome.FINISHED)

    def _locate(self) -> None:
        program = self._program
        self._outputs = [program.leave(each, n) for n, each in enumerate(self._results)]
        self._page.locate(
            [program.bytes_of(view).ctypes.data for each in self._outputs for view in each]
        )

    def _tell(self, _calls: int) -> Report:
        program = self._program
        results: Any = None
        for results, outputs in zip(self._results, self._outputs, strict=True):
            if not program.are_wanted(results, outputs):
                break
        return program.told(results)


def _is_lent(array: Any) -> bool:
    """Whether IREE takes it as it is, where it is."""
    is_dense = array.size > 0 and array.flags.c_contiguous
    return bool(is_dense and array.ctypes.data % _ALIGNMENT == 0)


def _view_of(results: Any, number: int) -> Any:
    return results.get_as_object(number, runtime.HalBufferView)


def _word(view: Any, wanted: str) -> str:
    """The type of its elements; the wanted one where it may be that: bytes have no sign here."""
    element = view.element_type
    if element in _NUMBERS[wanted]:
        return wanted
    return next((word for word, numbers in _NUMBERS.items() if element in numbers), "")


def _array_in(memory: Memory, spec: Message) -> Any:
    """The tensor of the spec, in the memory itself, as numpy has it."""
    dtype = numpy.dtype(_NUMPY[spec["dtype"]])
    if span(spec) == 0:
        return numpy.empty(spec["shape"], dtype)
    flat = numpy.frombuffer(memory, dtype, span(spec), spec["offset"])
    strides = [each * dtype.itemsize for each in strides_of(spec)]
    writeable = flat.flags.writeable
    return numpy.lib.stride_tricks.as_strided(flat, spec["shape"], strides, writeable=writeable)


def _bytes_in(memory: Memory, spec: Message) -> Any:
    """The bytes of a dense tensor."""
    array = _array_in(memory, spec)
    return array.reshape(-1).view(numpy.uint8)
