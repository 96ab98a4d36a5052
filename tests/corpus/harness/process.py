"""Runs a candidate through windows in a forked child, and says what came of each."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from native import Declined, Kernel
from torch.utils import _pytree as pytree

from harness.compare import compare
from harness.entries import Entry
from harness.problems import Prepared, Window, load, results, same_bits, storage, tensors

LIMIT_SECONDS = 20.0
HANG_SECONDS = 3.0
M_PERTURB, PERTURB = -6, 0x01


@dataclass
class Outcome:
    family: str  # "" when none was reached
    rule: str = ""  # the rule that it breaks
    failed: str = ""  # or the class of its failure
    detail: str = ""
    ratio: float = 0.0


def poison_heap() -> None:
    """From here on glibc fills what is freed with a byte, and what is new with its complement.

    It does not touch blocks of up to a kilobyte, which a thread keeps for itself (tcache): these
    come back as they were.
    """
    ctypes.CDLL(None).mallopt(M_PERTURB, PERTURB)


def buffers(inputs: list[Any]) -> list[Any]:
    """Memory that stays where it is while values change."""
    return [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in inputs]


def run_python(entry: Entry, prepared: Prepared, emit: Any) -> None:
    module = load(entry.candidate, "candidate")
    torch.manual_seed(prepared.seed)
    model = module.ModelNew(*prepared.init)
    own = {name: value.shape for name, value in model.state_dict().items()}
    agrees = own == {name: value.shape for name, value in prepared.state.items()}
    if agrees:
        model.load_state_dict(prepared.state, strict=True)
    emit({"parameters": "copied" if agrees else "by seed"})
    memory = buffers(prepared.windows[0].inputs)
    for window in prepared.windows:
        if window.state and not agrees:
            break  # nobody can hand it other parameters
        if window.state:
            model.load_state_dict(window.state, strict=True)
        for place, value in zip(memory, window.inputs, strict=True):
            if isinstance(place, torch.Tensor):
                place.copy_(value)
        made = results(model(*pytree.tree_unflatten(memory, prepared.tree)))
        owners = {storage(t) for t in tensors(memory)}
        broken = ""
        # Nothing of a class of its own: what it is depends on who looks.
        if not all(type(t) in (torch.Tensor, torch.nn.Parameter) for t in made):
            broken = "shape"
        elif not prepared.aliased and any(storage(t) in owners for t in made):
            broken = "aliased"
        emit_window(emit, window, made, tensors(memory), prepared, broken)


def run_native(entry: Entry, prepared: Prepared, library: Path, emit: Any) -> None:
    kernel = Kernel(
        library,
        prepared.windows[0].inputs,
        list(prepared.state.items()),
        prepared.outputs,
        prepared.init,
        threads=entry.threads,
        mutated=prepared.mutated,
        guard=True,
    )
    for window in prepared.windows:
        if window.state:
            break  # its constants stay what they are as long as the process lives
        made = kernel(window.inputs)
        broken = ""
        if not kernel.red_zones_intact():
            broken = "out-of-bounds"
        elif kernel.unwritten():
            broken = "unwritten"
        emit_window(emit, window, made, [z.tensor for z in kernel.inputs], prepared, broken)


def emit_window(
    emit: Any,
    window: Window,
    made: list[Any],
    after: list[torch.Tensor],
    prepared: Prepared,
    broken: str,
) -> None:
    given = tensors(window.inputs)
    for i, tensor in enumerate(after):
        if i not in prepared.mutated and not same_bits(tensor, given[i]):
            broken = broken or "input-changed"
    arrays = []
    if broken != "shape":
        changed = [after[i] for i in prepared.mutated]
        arrays = [t.detach().resolve_neg().resolve_conj().cpu().numpy() for t in made + changed]
    emit({"family": window.family, "broken": broken, "arrays": arrays})


def child(entry: Entry, prepared: Prepared, library: Path | None, path: Path) -> None:
    """Does not return."""
    os.setpgid(0, 0)
    code = 1
    with open(path, "wb", buffering=0) as out, open(os.devnull, "r+b") as null:
        for number in (0, 1, 2):
            os.dup2(null.fileno(), number)

        def emit(value: dict[str, Any]) -> None:
            out.write(pickle.dumps(value))

        os.chdir(path.parent)
        sys.argv = ["candidate"]
        torch.set_num_threads(entry.threads)
        try:
            if library:
                run_native(entry, prepared, library, emit)
            else:
                run_python(entry, prepared, emit)
            emit({"ended": True})
            code = 0
        except Declined as error:
            emit({"failed": "declined", "detail": str(error)})
        except BaseException as error:
            emit({"failed": "exception", "detail": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(code)


def wait(pid: int, seconds: float) -> int | None:
    """The wait status, or None when the time was up; then the group is killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os.waitpid(pid, 0)
    return None


def outcomes(entry: Entry, prepared: Prepared, library: Path | None) -> tuple[list[Outcome], str]:
    """What came of each window up to the first failure, and how the parameters got there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "windows"
        pid = os.fork()
        if pid == 0:
            child(entry, prepared, library, path)
        limit = HANG_SECONDS if "timeout" in entry.classes else LIMIT_SECONDS
        status = wait(pid, limit)
        messages = []
        with open(path, "rb") as file:
            while True:
                try:
                    messages.append(pickle.load(file))
                except EOFError:
                    break
    return judge(prepared.windows, messages, status)


def judge(
    windows: list[Window], messages: list[dict[str, Any]], status: int | None
) -> tuple[list[Outcome], str]:
    found: list[Outcome] = []
    parameters = ""
    ended = False
    for message in messages:
        parameters = message.get("parameters", parameters)
        ended = ended or "ended" in message
        if "failed" in message:
            family = windows[len(found)].family
            found.append(Outcome(family, failed=message["failed"], detail=message["detail"]))
            ended = True
        elif "family" in message:
            found.append(judge_window(windows[len(found)], message))
    if not ended:
        family = windows[min(len(found), len(windows) - 1)].family
        failed = "timeout" if status is None else "crash"
        found.append(Outcome(family, failed=failed, detail=f"wait status {status}"))
    return found, parameters


def judge_window(window: Window, message: dict[str, Any]) -> Outcome:
    if message["broken"]:
        return Outcome(window.family, rule=message["broken"])
    arrays = message["arrays"]
    if len(arrays) != len(window.eager):
        return Outcome(window.family, rule="shape", detail=f"{len(arrays)} outputs")
    worst = 0.0
    for got, exact, eager in zip(arrays, window.exact, window.eager, strict=True):
        small = window.family in ("own", "again", "interior", "touched")
        close = small or window.family == "moderate"
        rule, ratio = compare(got, exact, eager, small, close)
        worst = max(worst, ratio)
        if rule:
            return Outcome(window.family, rule=rule, ratio=ratio)
    return Outcome(window.family, ratio=worst)
