"""What else goes on while assay measures.

    hog              a program on each core that takes what is left, at nice 19
    readers          50 people look at the run's page: its server is to stand still in windows
    ramp             a load on each core, of usual priority, that grows from nothing to half of it
    stalls           a side that is drawn is stopped for 4 ms, a hundred times a second
    one_sided        the baseline alone is stopped, most of the time
    one_sided_short  the baseline alone is stopped for 1 ms, several times in a window

Short stalls cost the baseline a little CPU time, too, which makes the candidate look faster; long
ones show on the wall alone.

Stops are of a native runner, from outside, by signals. They need root, as who stops processes of
other users does, and level L3, where assay itself stops nothing by signals.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from process_tree import processes_below

from study.kinds import ROOT


class NotHere(Exception):
    """This machine does not let a disturbance be made; one line."""


BASELINE_MARK = "the baseline of a study of timing"
RUNNER = "assay-native-runner"
# How long a side is stopped, and how long not: windows take 3 ms, or 6.
STALLS_S = {
    "stalls": (0.004, 0.006),
    "one_sided": (0.004, 0.002),
    "one_sided_short": (0.001, 0.001),
}
LOOK_S = 0.02  # for new processes
READERS = 50


@dataclass(frozen=True)
class Run:
    """A run of assay that goes on."""

    assay: str  # the program
    process: int
    folder: Path
    expected_s: float  # that it takes, about


@contextmanager
def disturbance(name: str, run: Run) -> Iterator[None]:
    """While it lasts, the run is disturbed."""
    if name == "":
        yield
    elif name == "hog":
        with loads(19, 0):
            yield
    elif name == "ramp":
        with loads(0, 2 * run.expected_s):
            yield
    elif name == "readers":
        with readers(run):
            yield
    elif name in STALLS_S:
        if os.geteuid() != 0:
            raise NotHere("stopping processes of another user takes root")
        with stalls(run.process, name):
            yield
    else:
        raise ValueError(f"there is no disturbance '{name}'")


@contextmanager
def loads(nice: int, grows_s: float) -> Iterator[None]:
    command = [sys.executable, str(ROOT / "tools" / "load.py"), str(nice), str(grows_s)]
    processes = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextmanager
def readers(run: Run) -> Iterator[None]:
    tool = str(ROOT / "tools" / "readers.py")
    command = [sys.executable, tool, run.assay, str(run.folder), str(READERS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield
    finally:
        process.terminate()
        told, _ = process.communicate()
    opened, following = map(int, told.split())
    if following < READERS or opened < READERS:
        raise NotHere(f"of {READERS} readers {following} followed the run, {opened} pages opened")


@contextmanager
def stalls(assay: int, name: str) -> Iterator[None]:
    over = threading.Event()
    worker = threading.Thread(target=keep_stalling, args=(assay, name, over))
    worker.start()
    try:
        yield
    finally:
        over.set()
        worker.join()


def keep_stalling(assay: int, name: str, over: threading.Event) -> None:
    stop_s, pause_s = STALLS_S[name]
    runners = Runners(assay)
    looked = 0.0
    while not over.is_set():
        if time.monotonic() - looked > LOOK_S:
            runners.look()
            looked = time.monotonic()
        of_baseline = name != "stalls" or random.random() < 0.5
        stall(runners.baselines if of_baseline else runners.candidates, stop_s)
        time.sleep(pause_s)


def needs(name: str) -> str:
    """The level of isolation that it needs; empty: any."""
    return "L3" if name in STALLS_S else ""


def tells_sides_apart(name: str) -> bool:
    """Whether it has to know a baseline from a candidate: the former carries BASELINE_MARK."""
    return name in STALLS_S


def send(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it has ended meanwhile
        os.kill(process, number)


def stall(processes: set[int], seconds: float) -> None:
    """All at once: one of them is being timed, and others may stand ready for their turn."""
    with ExitStack() as stopped:
        for process in processes:
            stopped.callback(send, process, signal.SIGCONT)
            send(process, signal.SIGSTOP)
        time.sleep(seconds)


class Runners:
    """The processes below an assay that hold a kernel; which of them the baseline's does not
    change."""

    def __init__(self, assay: int) -> None:
        self.assay = assay
        self.seen: set[int] = set()
        self.candidates: set[int] = set()
        self.baselines: set[int] = set()

    def look(self) -> None:
        alive = {
            process
            for process, command in processes_below(self.assay).items()
            if command.split()[:1] and command.split()[0].endswith(RUNNER)
        }
        self.candidates &= alive
        self.baselines &= alive
        loaded = {each for each in alive - self.candidates - self.baselines if library_of(each)}
        for process in loaded & self.seen:  # all of it is mapped since
            of = self.baselines if BASELINE_MARK in library_of(process) else self.candidates
            of.add(process)
        self.seen = loaded


def library_of(process: int) -> str:
    """What of a runner's memory comes from its candidate's file; empty: it holds none yet."""
    text = ""
    with suppress(OSError):  # it ends meanwhile
        maps = Path(f"/proc/{process}/maps").read_text().splitlines()
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            for line in maps:
                if "/memfd:assay-library" in line and line.split()[1].startswith("r"):
                    begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                    memory.seek(begin)
                    text += memory.read(end - begin).decode("latin-1")
    return text
