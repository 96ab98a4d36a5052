"""What else goes on while assay measures.

    hog              a program on each core that takes what is left, at nice 19
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
from contextlib import contextmanager, suppress
from pathlib import Path

from process_tree import processes_below

from study.kinds import ROOT


class NotHere(Exception):
    """This machine does not let a disturbance be made; one line."""


BASELINE_MARK = "the baseline of a study of timing"
RUNNER = "assay-native-runner"
# How long a side is stopped, and how long not: windows take 3 ms.
STALLS_S = {
    "stalls": (0.004, 0.006),
    "one_sided": (0.004, 0.002),
    "one_sided_short": (0.001, 0.001),
}
LOOK_S = 0.02  # for new processes


@contextmanager
def disturbance(name: str, assay: int, expected_s: float) -> Iterator[None]:
    """While it lasts, the assay of that process id is disturbed. `expected_s`: how long, about."""
    if name == "":
        yield
    elif name == "hog":
        with loads(19, 0):
            yield
    elif name == "ramp":
        with loads(0, 2 * expected_s):
            yield
    elif name in STALLS_S:
        if os.geteuid() != 0:
            raise NotHere("stopping processes of another user takes root")
        with stalls(assay, name):
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
    sides: list[int] = []
    looked = 0.0
    while not over.is_set():
        if time.monotonic() - looked > LOOK_S:
            sides = runners_below(assay, is_one_sided(name))
            looked = time.monotonic()
        if sides:
            stall(random.choice(sides), stop_s)
        time.sleep(pause_s)


def needs(name: str) -> str:
    """The level of isolation that it needs; empty: any."""
    return "L3" if name in STALLS_S else ""


def is_one_sided(name: str) -> bool:
    """Whether the baseline has to be told from the candidate: it carries BASELINE_MARK."""
    return name.startswith("one_sided")


def stall(process: int, seconds: float) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(process, signal.SIGCONT)


def runners_below(assay: int, baseline_only: bool) -> list[int]:
    """Those that hold a kernel; with `baseline_only` those of a baseline that is marked."""
    return [
        process
        for process, command in processes_below(assay).items()
        if command.split()[:1] and command.split()[0].endswith(RUNNER)
        if (library := library_of(process)) and (not baseline_only or BASELINE_MARK in library)
    ]


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
