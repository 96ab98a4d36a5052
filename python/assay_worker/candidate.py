"""The image `candidate`: has imported torch; a worker builds one model and calls it in windows.

What runs here is not to be believed. Nothing in this process is of value: no reference, no seed
but the model's own, no clock; the judge reads the outputs when the process is stopped.
"""

import io
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from assay_worker import gpu, kernelbench, no_device, sheet, watch
from assay_worker.building import DTYPES
from assay_worker.card import Card
from assay_worker.compilers import Compiling, compiled
from assay_worker.control_page import (
    PUT_BACK,
    ControlPage,
    Outcome,
    Report,
    WindowKind,
    Windows,
    in_place,
    raised,
)
from assay_worker.extensions import Extensions
from assay_worker.failure import Failed, Unsupported, blame
from assay_worker.gpu_kernels import compile_by
from assay_worker.integer_draws import IntegerDraws
from assay_worker.left_program import LeftProgram
from assay_worker.model_state import Kept, assign, beside, construct, keys_of, why_not_strict
from assay_worker.on_cpu import OnCpu
from assay_worker.other_constants import OtherConstants
from assay_worker.protocol import Channel, Message
from assay_worker.results import Results, addresses, copies, make_dense, overwrite
from assay_worker.seeding import seed_all, seed_of, trial_seed
from assay_worker.sheet import Given
from assay_worker.tensors import tensor_in, tensor_of
from assay_worker.trail import Trail
from assay_worker.trees import decode_arguments, decode_values, in_order
from assay_worker.zygote import Image

# Not "inputs", nor "relationship".
_NAMES_A_DEVICE = re.compile(
    rb"(?<![a-z])(cuda|hip|xpu|mps|npu|hpu|xla|mtia)(?![a-z])|pin_memory", re.IGNORECASE
)


def warm_up() -> None:
    """One small call of what most candidates call. Not watched: that leaves a thread behind."""
    with torch.no_grad():
        torch.nn.Linear(4, 4)(torch.rand(2, 4)).sum().item()
    watch.warm_up()


def work(channel: Channel) -> None:
    """Reads the job; says that it is ready, or why not; then serves windows until told to end."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # it may be ended before it flushes
    given = sheet.read(*channel.receive())
    page = ControlPage(given.control_page)
    wanted: Message | None = given.sheet.get("gpu")
    extensions = Extensions(
        given.sheet.get("extensions", []),
        given.extensions,
        wanted["kind"] if wanted else "cuda" if sheet.is_on_card(given.sheet) else None,
        given.sheet.get("stand_ins", []),
        sheet.is_on_card(given.sheet),
    )
    extensions.install()
    if wanted:
        gpu.pretend(wanted)
    card: Card | None = None
    with torch.no_grad():
        try:
            sheet.check_device(given.sheet)
            if sheet.is_on_card(given.sheet):
                card = Card(given)
                given = card.over(given)
                if given.sheet.get("perturb"):
                    card.perturb(given.sheet["perturb"])
            try:
                runner, facts = (set_up_nothing if given.sheet.get("empty") else set_up)(given)
            except Unsupported as reason:
                raise _disowned("setup", reason) from None
            answer = {"ready": True, "device": given.sheet["device"], **facts}
            if card is not None:
                answer["card"] = card.told()
        except (Failed, Unsupported) as finding:
            answer = finding.answer()
            if not wanted and card is None:
                answer["not_here"] = no_device.is_wanted(
                    finding.__context__, given.candidate, given.sheet["path"]
                )
            elif wanted and (why := gpu.why_not_here(finding.__context__)):
                answer = Unsupported(why).answer()
        if extensions.needed:  # whatever it came to without
            answer = {"final": True, "needs": extensions.needed}
        channel.answer(answer)
        if "final" in answer:
            return
        if wanted and given.written is not None:
            compiling = partial(
                compile_by, runner.forward, runner.path, given.written, wanted["phases"]
            )
            page.serve({WindowKind.CALL: lambda _calls: compiling()})
        elif given.written is not None:
            page.serve({WindowKind.CALL: partial(runner.counted_call, given.written)})
        elif given.sheet.get("trials"):
            page.serve({WindowKind.CALL: Trials(runner, given).call}, card)
        elif results := given.sheet.get("in_place"):
            page.serve(InPlace(runner, page, results).calls())
        else:
            call: Callable[[int], Report] = runner.call
            if card is not None and given.sheet.get("profiled"):
                call = card.profiled(call)
            page.serve(
                {
                    WindowKind.CALL: call,
                    WindowKind.WATCHED: runner.watched_call,
                    WindowKind.BESIDE: Beside(runner).call,
                },
                card,
            )
    channel.answer({"final": True, "ok": {}})


IMAGE = Image("candidate", warm_up, work)


def set_up(given: Given) -> tuple["Runner", Message]:
    """Builds the model as the sheet says; returns it with what is to be told of it.

    {"parameters": "copied" | "by seed", "why"?: text, "beside"?: name of the largest tensor that it
    has made and no copying reaches, "beside_elements"?: of that}.
    Raises Failed of the class "load", "setup" or "out_of_memory".
    """
    from assay_worker._zygote import perturb_memory

    job = given.sheet
    path, seed = job["path"], seed_of(job)
    torch.set_num_threads(job["threads"])
    if job.get("perturb"):
        perturb_memory(job["perturb"])
    constants = given.memories["constants"]
    tensors = [tensor_in(constants, spec).clone() for spec in job.get("init_tensors", ())]
    arguments = decode_values(job["init_tree"], tensors)
    watched = watch.Watch(path)
    file = laid_out(given)
    on_card = sheet.is_on_card(job)
    with (
        nullcontext() if on_card else OnCpu(Trail()),
        watched.errors() if job.get("watched") else nullcontext(),
    ):
        with blame("load", path):
            seed_all(seed)
            model_class = kernelbench.load_model(given.candidate, path, job["model"], file)
        integers = IntegerDraws() if job.get("integers") else nullcontext()
        others = OtherConstants(seed) if job.get("other_constants") else nullcontext()
        with blame("setup", path), integers, others:
            seed_all(seed)
            model = construct(
                lambda: model_class(*arguments), job["mode"] == "train", job["precision"]
            )
            why = why_not_strict(model, job["constants"]) if job["strict_state"] else "not asked"
            if not why:
                assign(model, {e["name"]: tensor_in(constants, e) for e in job["constants"]})
            if on_card:
                model = model.to("cuda")  # as KernelBench does
            kept = Kept(model)
    torch.set_default_dtype(DTYPES[job["precision"]] or torch.get_default_dtype())
    trail = Trail()
    names_one = bool(job.get("gpu") or _NAMES_A_DEVICE.search(given.candidate)) and not on_card
    device = OnCpu(trail) if names_one else nullcontext()
    facts: Message = {"parameters": "by seed", "why": why} if why else {"parameters": "copied"}
    name, elements = beside(model, job["constants"])
    if not why and name:
        facts |= {"beside": name, "beside_elements": elements}
    if job.get("compiler"):
        left = LeftProgram(given.left) if given.left is not None else None
        model = compiled(model, job["compiler"], left)
    compiling = Compiling(model if job.get("compiler") else None)
    tree = job.get("output_tree", {})
    is_for_want_of_one: Callable[[BaseException | None], bool]
    is_for_want_of_one = partial(no_device.is_wanted, source=given.candidate, path=path)
    if job.get("gpu"):
        is_for_want_of_one = _is_for_want_of_a_real_one
    if on_card:
        is_for_want_of_one = _never
    runner = Runner(
        model,
        kept,
        Slots(given),
        tree,
        path,
        device,
        trail,
        watched,
        is_for_want_of_one,
        compiling,
    )
    return runner, facts


def set_up_nothing(given: Given) -> tuple["Runner", Message]:
    """In a candidate's place: its calls do nothing, and return the same results each time."""
    job, slots = given.sheet, Slots(given)
    torch.set_num_threads(job["threads"])
    ((_, results),) = slots.first(1)
    returned = decode_arguments(job["output_tree"], results.stand_ins())
    model = Nothing(returned)
    path = job["path"]
    runner = Runner(
        model,
        Kept(model),
        slots,
        job["output_tree"],
        path,
        nullcontext(),
        Trail(),
        watch.Watch(path),
        lambda _: False,
        Compiling(),
    )
    return runner, {"parameters": "copied"}


class Nothing(nn.Module):  # type: ignore[misc]
    """A model that returns what it was made of."""

    def __init__(self, returned: Any) -> None:
        super().__init__()
        self._returned = [lambda: returned]  # in a function: no part of its state

    def forward(self, *_: Any) -> Any:
        return self._returned[0]()


def laid_out(given: Given) -> str | None:
    """Lays out the files that lie beside the candidate's, which come with the sheet.

    Their folder is the working folder from here on. Returns what the candidate has for `__file__`,
    which lies there, too; None where there is none beside it.
    """
    if not (beside := given.sheet.get("beside")):
        return None
    # The same each time: it may become part of what the judge is asked to build.
    folder = Path(tempfile.gettempdir(), "candidate")
    for each in beside:
        path = folder / each["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(each["text"], encoding="utf-8")
    file = folder / os.path.basename(given.sheet["path"])
    file.write_bytes(given.candidate)
    os.chdir(folder)
    return str(file)


def _never(_: BaseException | None) -> bool:
    return False


def _is_for_want_of_a_real_one(raised: BaseException | None) -> bool:
    return gpu.why_not_here(raised) is not None


def _disowned(failure_class: str, reason: Unsupported) -> Failed:
    """A candidate can import our exceptions: what it does not support is a failure of its own."""
    return Failed(failure_class, f"{type(reason).__name__}: {reason}", "")


class Arguments:
    """The arguments of `forward`, in the judge's memory, of the call that has the slot."""

    def __init__(self, given: Given, slot: int = 0) -> None:
        self._tree = given.sheet["input_tree"]
        self._leaves: list[Any] = []
        for leaf in given.sheet["inputs"]:
            tensor = tensor_of(given, leaf, slot)
            self._leaves.append(sheet.scalar(leaf) if tensor is None else tensor)

    def fresh(self) -> list[Any]:
        """Other objects each time, over the same memory: one may have been bent into a shape."""
        leaves = [leaf.detach() if isinstance(leaf, Tensor) else leaf for leaf in self._leaves]
        return decode_arguments(self._tree, leaves)


class Slots:
    """What each call of a window has of its own: made once a window has so many calls."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._made: list[tuple[Arguments, Results]] = []

    def first(self, calls: int) -> list[tuple[Arguments, Results]]:
        """Those of a window that has so many calls."""
        for slot in range(len(self._made), calls):
            self._made.append((Arguments(self._given, slot), Results(self._given, slot)))
        return self._made[:calls]


@dataclass(frozen=True)
class Runner:
    """A model that is ready to be called."""

    model: nn.Module
    kept: Kept
    slots: Slots
    tree: Message  # of what the problem returns
    path: str
    device: AbstractContextManager[Any]  # in force while it is called
    trail: Trail  # of that: whether there was anything to do
    watch: watch.Watch
    is_for_want_of_gpu: Callable[[BaseException | None], bool]  # of what it raised
    compiling: Compiling

    def forward(self) -> Any:
        """Whatever the model returns, or raises, of the first slot."""
        ((arguments, _),) = self.slots.first(1)
        with self.device:
            return self.model(*arguments.fresh())

    def call(self, calls: int, *around: AbstractContextManager[Any]) -> Report:
        """One window. Whatever the candidate raises is told; so is what compiling it has taken."""
        slots = self.slots.first(calls)
        try:
            with blame("exception", self.path), ExitStack() as stack:
                for each in (self.device, *around):
                    stack.enter_context(each)
                report = Report(Outcome.FINISHED)
                for arguments, results in slots:
                    result = self.model(*arguments.fresh())
                    report = results.deliver(in_order(self.tree, result))
                    self.kept.restore()
                    if report.outcome is not Outcome.FINISHED:
                        break
                return report if report.text else replace(report, text=self.compiling.news())
        except (Failed, Unsupported) as finding:
            return self.report_of(finding)

    def counted_call(self, descriptor: int, _calls: int) -> Report:
        """One window of several calls, whose results nobody looks at; what they are made of is
        written to the file.
        """
        ((arguments, _),) = self.slots.first(1)
        # On a busy machine a thread waits in between: of one alone, that is no part of a call.
        is_alone = torch.get_num_threads() == 1
        clock = time.thread_time_ns if is_alone else time.perf_counter_ns

        # Only here: torch's counter of FLOPs imports Triton, which must not be there before a
        # candidate that its interpreter is to run.
        from assay_worker.operators import write_operators

        def call(around: AbstractContextManager[Any]) -> int:
            leaves = arguments.fresh()
            with self.device, around:
                begin = clock()
                self.model(*leaves)
                ns = clock() - begin
            self.kept.restore()
            return ns

        try:
            with blame("exception", self.path):
                write_operators(call, descriptor)
        except (Failed, Unsupported) as finding:
            return self.report_of(finding)
        return Report(Outcome.FINISHED)

    def report_of(self, finding: Failed | Unsupported) -> Report:
        """What the page is told of an exception that has left the candidate."""
        if isinstance(finding, Unsupported):
            return raised(_disowned("exception", finding))
        return raised(finding, not_here=self.is_for_want_of_gpu(finding.__context__))

    def watched_call(self, _calls: int) -> Report:
        """One window whose results nobody looks at. Its text is what was seen."""
        report = self.call(1, self.watch.errors(), self.watch.operations())
        finished = report.outcome is Outcome.FINISHED
        return replace(report, text=self.watch.told()) if finished else report


class Beside:
    """Windows of a runner in which all is done but its model's calls: what each has of time that is
    the judge's own. Results are ones of its own.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._results: list[Any] = []

    def call(self, calls: int) -> Report:
        """One window."""
        runner, slots = self._runner, self._runner.slots.first(calls)
        self._results = self._results or slots[0][1].stand_ins()
        with runner.device:
            for arguments, results in slots:
                arguments.fresh()
                results.deliver(self._results)
                runner.kept.restore()
        return Report(Outcome.FINISHED)


class Trials:
    """Windows that are the trials of another check (src/verify/other_check.h), one after the other.

    As there, nothing is put back between them, and results are compared in this process, where a
    candidate may have a word in it: by the class of its result, or as it finds the other's. So it
    is said of nothing but the candidate that is in the process. The text of a window is what is
    wrong; empty: nothing is.
    """

    def __init__(self, runner: Runner, given: Given) -> None:
        self._runner, self._asked = runner, given.sheet["trials"]
        ((self._arguments, _),) = runner.slots.first(1)
        self._expected = tensor_of(given, self._asked["expected"])
        self._number = 0

    def call(self, _calls: int) -> Report:
        """One trial."""
        runner, tolerance = self._runner, self._asked["tolerance"]
        assert self._expected is not None
        # What nobody has drawn from since: theirs is seeded before both are called.
        torch.default_generator.manual_seed(trial_seed(self._asked["seed"], self._number))
        self._number += 1
        output = self._expected.clone()
        try:
            with blame("exception", runner.path), runner.device:
                output_new = runner.model(*self._arguments.fresh())
                return Report(Outcome.FINISHED, text=_not_close(output, output_new, tolerance))
        except (Failed, Unsupported) as finding:
            return runner.report_of(finding)


def _not_close(output: Tensor, output_new: Any, tolerance: float) -> str:
    if output.shape != output_new.shape:
        return f"its result has the shape {list(output_new.shape)}, not {list(output.shape)}"
    if torch.allclose(output, output_new, atol=tolerance, rtol=tolerance):
        return ""
    largest = torch.max(torch.abs(output - output_new)).item()
    return f"its result is not close, the largest distance is {largest:.3g}"


class InPlace:
    """Windows that cost little beside the calls: results stay where they are.

    But for who writes them into memory that he keeps: the next call changes it, or the model is
    given it back as it was. With the results "copied" each call's are copied, in time that counts,
    and memory of the model's that they lie in is left; with "restored" it is not.
    """

    def __init__(self, runner: Runner, page: ControlPage, results: str) -> None:
        self._runner, self._page = runner, page
        self._copies = results in ("copied", "restored")
        self._spares = results == "copied"
        self._device = runner.device
        self._arguments: list[list[Any]] = []
        self._returned: list[list[Any]] = []  # of each call, in the problem's order
        self._there: list[list[Any]] = []  # what the judge reads of them
        self._last: Any = None  # as the model returned it, at the last call

    def calls(self) -> Windows:
        return in_place(self._prepare, self._call, self._tell, self._beside)

    def _prepare(self, calls: int) -> Report:
        self._arguments = [arguments.fresh() for arguments, _ in self._runner.slots.first(calls)]
        return Report(Outcome.FINISHED)

    def _call(self, _calls: int) -> Report:
        all_arguments, self._arguments = self._arguments, []
        return self._with(self._runner.model, all_arguments)

    def _beside(self, calls: int) -> Report:
        last = self._last
        return self._with(lambda: last, [[]] * calls)

    def _with(self, model: Callable[..., Any], all_arguments: list[list[Any]]) -> Report:
        # The former window's results go now, and the arguments when this returns: in time that
        # counts, as what a candidate hung on them may work when they do.
        returned: list[list[Any]] = []
        there: list[list[Any]] = [] if self._copies else returned
        self._returned, self._there, self._last = returned, there, None
        runner = self._runner
        tree, kept = runner.tree, runner.kept
        may_change = kept.may_change()
        are_put_back, last = False, None
        try:
            with blame("exception", runner.path), self._device:
                for arguments in all_arguments:
                    last = model(*arguments)
                    leaves = in_order(tree, last)
                    if self._copies:
                        there.append(copies(leaves))
                    else:
                        make_dense(leaves)
                    returned.append(leaves)
                    if may_change:
                        written = kept.restore(leaves if self._spares else ())
                        if written and not self._copies:
                            are_put_back |= not written.isdisjoint(keys_of(leaves))
                self._page.locate([PUT_BACK] if are_put_back else addresses(there))
                self._last = last
            if not runner.trail.fell_back_on:  # looking at each operation costs more than many do
                self._device = nullcontext()
        except (Failed, Unsupported) as finding:
            return runner.report_of(finding)
        return Report(Outcome.FINISHED)

    def _tell(self, _calls: int) -> Report:
        """What is wrong with the first results that are not as they should be.

        What the judge has written over copies goes where results were left, as a caller may do.
        """
        report = Report(Outcome.FINISHED)
        slots = self._runner.slots.first(len(self._returned))
        for leaves, (_, results) in zip(self._returned, slots, strict=True):
            report = results.told(leaves)
            if report.outcome is not Outcome.FINISHED:
                return report
        if self._spares:
            for leaves, there in zip(self._returned, self._there, strict=True):
                overwrite(leaves, there)
        return report
