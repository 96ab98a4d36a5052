"""Drives a worker over sockets, as assay does, for the tests."""

import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay_worker.protocol import Channel, EndOfStream, Message

PYTHON = Path(__file__).resolve().parent.parent
STAND_IN = PYTHON / "tests" / "stand_in.py"
SUITES = PYTHON.parent / "suites"
# By which the loader of Vulkan finds lavapipe, of a package that developers need.
DRIVERS = Path("/usr/share/vulkan/icd.d")
LAVAPIPE = next(DRIVERS.glob("lvp_icd*.json"), DRIVERS / "lvp_icd.json")
PATIENCE_S = 300  # for what hangs: on a busy machine an export may take minutes
KEPT = ("PATH", "LD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "TZ", "HF_HOME")
LESS = "ONEDNN_MAX_CPU_ISA"  # a test may ask for an older processor
SEED = 7
SOUND = {"path": "/x/p.py", "mode": "eval", "precision": "f32", "seed": SEED}
EXPORT = {"job": "export", **SOUND}
WEIGHTS = {"job": "weights", **SOUND}


def part_of_tour() -> list[Path]:
    """The files of the bundled suite that `make tour` takes: few, of every kind."""
    expected = json.loads((SUITES / "tour" / "expected.json").read_text())
    return [SUITES / "tour" / f"{problem}.py" for problem in expected["part"]]


@contextlib.contextmanager
def process(
    *arguments: str, output: int = 2, hash_seed: str = "0", **more: str
) -> Iterator[socket.socket]:
    """`python -s ARGUMENTS` with our socket's other end as descriptor 3; ended at the end.

    Like assay (src/run/python.cc), it gives an environment of its own. Both its standard streams go
    to the descriptor `output`. `more` is what its environment has besides.
    """
    ours, theirs = socket.socketpair()
    ours.settimeout(PATIENCE_S)
    environment = {name: os.environ[name] for name in (*KEPT, LESS) if name in os.environ}
    environment |= {"PYTHONHASHSEED": hash_seed}
    environment |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")} | more
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-s", *arguments],
        environment,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
            (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3),
        ],
        setpgroup=0,
    )
    theirs.close()
    try:
        with ours:
            yield ours
    finally:
        os.killpg(pid, signal.SIGKILL)  # with the workers that it forked
        os.waitpid(pid, 0)


@dataclass(frozen=True)
class Outcome:
    """What one worker left: answers in order, the MLIR, exit status, and what it printed."""

    answers: list[Message]
    mlir: bytes
    status: int
    printed: str

    @property
    def answer(self) -> Message:
        assert len(self.answers) == 1, f"{self.answers}\n{self.printed}"
        return self.answers[0]


class Zygote:
    """The real `zygote.run` in a process of its own, forking through the stand-in."""

    def __init__(self, control: socket.socket, output: int) -> None:
        self._control, self._output = control, output

    @classmethod
    @contextlib.contextmanager
    def started(cls, role: str = "export") -> Iterator["Zygote"]:
        with (
            tempfile.TemporaryDirectory(prefix="assay-test-") as scratch,
            memory(b"") as output,
            process(str(STAND_IN), role, scratch, output=output) as control,
        ):
            yield cls(control, output)

    @contextlib.contextmanager
    def conversation(self, ends: int = 0) -> Iterator["Conversation"]:
        """With one worker, which is expected to end with this status, or by minus this signal."""
        printed_before = len(content(self._output))
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        status = b""
        try:
            with ours:
                with theirs:
                    socket.send_fds(self._control, [b"f"], [theirs.fileno()])
                yield Conversation(ours)
        finally:
            status = self._control.recv(1)
        printed = content(self._output)[printed_before:].decode("utf-8", "replace")
        assert status[0] == ends & 0xFF, f"{status!r}\n{printed}"

    def export(self, source: bytes | str, path: str = "/somewhere/problem.py") -> Outcome:
        return self.job({**EXPORT, "path": path}, source)

    def job(self, job: Message, source: bytes | str, descriptors: int = 2) -> Outcome:
        """Has one worker do `job` on `source`; `descriptors` 1 leaves out the one for the MLIR."""
        printed_before = len(content(self._output))
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        with ours, memory(source) as file, memory(b"") as mlir:
            with theirs:
                socket.send_fds(self._control, [b"f"], [theirs.fileno()])
            send(ours, job, [file, mlir][:descriptors])
            answers = list(frames(ours))
            status = self._control.recv(1)
            printed = content(self._output)[printed_before:].decode("utf-8", "replace")
            assert status, f"the zygote ended\n{printed}"
            return Outcome(answers, content(mlir), status[0], printed)


class Serving(unittest.TestCase):
    """Tests that share one zygote: starting it costs seconds, a job a fraction of one."""

    zygote: Zygote

    @classmethod
    def setUpClass(cls) -> None:
        started = contextlib.ExitStack()
        cls.addClassCleanup(started.close)
        cls.zygote = started.enter_context(Zygote.started())


class Conversation:
    """Frames, one after the other, with a worker or a runner."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._channel = connection, Channel(connection)

    def ask(self, message: Message, *descriptors: int) -> Message:
        """Sends a frame and waits for the answer."""
        send(self._connection, message, list(descriptors))
        return self.hear()

    def hear(self) -> Message:
        return self._channel.receive()[0]


def send(connection: socket.socket, message: Any, descriptors: list[int]) -> None:
    body = json.dumps(message).encode()
    socket.send_fds(connection, [len(body).to_bytes(4, "little") + body], descriptors)


def frames(connection: socket.socket) -> Iterator[Message]:
    """All frames until the other end closes."""
    channel = Channel(connection)
    with contextlib.suppress(EndOfStream):
        while True:
            yield channel.receive()[0]


@contextlib.contextmanager
def memory(data: bytes | str) -> Iterator[int]:
    """A memfd holding `data`, its offset left at the end."""
    descriptor = os.memfd_create("test", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, data.encode() if isinstance(data, str) else data)
        yield descriptor
    finally:
        os.close(descriptor)


def content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
