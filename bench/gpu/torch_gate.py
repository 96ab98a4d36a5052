"""A zygote with torch imported, in the jail that its judge has made, and its forks: each is a
program of torch_programs, whose calls can be put behind a word on the card.

torch_gate.py ACTS BYTES OUTPUTS_AT WORDS_AT

ACTS are the names of control.h in their order, descriptor 3 is its page, and the judge's memory
comes over descriptor 4. With GPU_PROBE_DRY set all is the host's, to try this without a card.
"""

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import torch_programs  # noqa: E402
from torch_child import Words, mapped  # noqa: E402

DRY = "GPU_PROBE_DRY" in os.environ
FLOATS = 1 << 24
TEXT = 1024


class Page(ctypes.Structure):
    """As control.h has it."""

    _fields_ = (
        ("go", ctypes.c_uint32),
        ("done", ctypes.c_uint32),
        ("ready", ctypes.c_uint32),
        ("failed", ctypes.c_uint32),
        ("act", ctypes.c_uint32),
        ("rounds", ctypes.c_uint32),
        ("elements", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("arena_bytes", ctypes.c_uint64),
        ("parameter", ctypes.c_int64 * 4),
        ("said", ctypes.c_int64 * 8),
        ("called_back", ctypes.c_uint32),
        ("drop", ctypes.c_uint32),
        ("text", ctypes.c_char * TEXT),
    )


def fail(page: Page, text: str) -> None:
    page.text = text.encode(errors="replace")[: TEXT - 1]
    page.failed = 1


def micros(begin: float) -> int:
    return int((time.monotonic() - begin) * 1e6)


class Program:
    """In a fork: the card is opened here."""

    def __init__(self, page: Page, torch: Any, name: str, arena: int, begin: float) -> None:
        self.page, self.torch = page, torch
        size, self.outputs_at, self.words_at = (int(each) for each in sys.argv[2:5])
        eager = name.startswith("eager:")
        os.environ["CUDA_MODULE_LOADING"] = "EAGER" if eager else "LAZY"
        said = [micros(begin)]
        now = time.monotonic()
        if not DRY:
            torch.cuda.init()
            torch.zeros(1, device="cuda")
        said.append(micros(now))
        now = time.monotonic()
        if DRY:
            self.memory = mmap.mmap(arena, size)
            whole = torch.frombuffer(self.memory, dtype=torch.float32)
            at = self.outputs_at // 4
            x, out = whole[:FLOATS], whole[at : at + FLOATS]
        else:
            self.driver = ctypes.CDLL("libcuda.so.1")
            self.address = mapped(arena, size)
            as_floats = [
                torch.as_tensor(Words(place, FLOATS), device="cuda").view(torch.float32)
                for place in (self.address, self.address + self.outputs_at)
            ]
            x, out = as_floats
        said.append(micros(now))
        now = time.monotonic()
        self.stream = None
        if not DRY and page.parameter[1] == 1:
            self.stream = torch.cuda.Stream()
        with self.current():
            made = torch_programs.maker(name.removeprefix("eager:"))(torch, x, out)
            self.call, self.outputs, self.before = made
        self.synchronize()
        said.append(micros(now))
        for place, value in enumerate(said):
            page.said[place] = value
        page.said[6] = self.outputs

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        with self.torch.no_grad():
            if self.stream is None:
                yield
            else:
                with self.torch.cuda.stream(self.stream):
                    yield

    def synchronize(self) -> None:
        if not DRY:
            self.torch.cuda.synchronize()

    def word(self, call: str, place: int) -> None:
        """Queues a wait for a word, or that it is set."""
        if DRY:
            return
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        at = ctypes.c_ulonglong(self.address + self.words_at + 4 * place)
        number = ctypes.c_uint(self.page.parameter[3])
        result = getattr(self.driver, call)(stream, at, number, ctypes.c_uint(0))
        if result != 0:
            raise RuntimeError(f"{call}: error {result}")

    def arm(self) -> None:
        self.before()
        self.word("cuStreamWaitValue32_v2", 0)
        self.call()
        self.word("cuStreamWriteValue32_v2", 1)

    def honest(self) -> None:
        for _ in range(self.page.slots):
            self.call()
        if DRY:
            return
        (self.stream or self.torch.cuda.current_stream()).synchronize()

    def events(self) -> None:
        """By own clocks: mean of many, a call alone, until it returns, until all is done."""
        said = self.page.said
        returned, done, single = [], [], []
        for _ in range(20):
            self.before()
            self.synchronize()
            pair = [self.torch.cuda.Event(enable_timing=True) for _ in range(0 if DRY else 2)]
            begin = time.monotonic_ns()
            if pair:
                pair[0].record()
            self.call()
            if pair:
                pair[1].record()
            returned.append(time.monotonic_ns() - begin)
            self.synchronize()
            done.append(time.monotonic_ns() - begin)
            single.append(int(pair[0].elapsed_time(pair[1]) * 1e6) if pair else done[-1])
        middle = [sorted(times)[len(times) // 2] for times in (single, returned, done)]
        said[1], said[2], said[3] = middle
        calls = max(5, min(100, int(2e8 / max(done[-1], 1))))
        begin = time.monotonic_ns()
        pair = [self.torch.cuda.Event(enable_timing=True) for _ in range(0 if DRY else 2)]
        if pair:
            pair[0].record()
        for _ in range(calls):
            self.call()
        if pair:
            pair[1].record()
        self.synchronize()
        whole = pair[0].elapsed_time(pair[1]) * 1e6 if pair else time.monotonic_ns() - begin
        said[0] = int(whole / calls)

    def act(self, name: str) -> None:
        with self.current():
            if name == "arm":
                self.arm()
            elif name == "honest":
                self.honest()
            elif name == "events":
                self.events()
            elif name == "drain":
                self.synchronize()
            else:
                raise RuntimeError(f"no act {name}")


def wait_for_go(page: Page, window: int, in_zygote: bool = False) -> int:
    spins = 0
    while page.go == window:
        if in_zygote:
            page.drop = 0
        spins += 1
        if spins > 500_000:
            time.sleep(0.0002)
    page.called_back = page.go  # so that the zygote knows how far its fork came
    return int(page.go)


def run_program(page: Page, torch: Any, arena: int, window: int, begin: float) -> None:
    acts = sys.argv[1].split(",")
    try:
        program = Program(page, torch, page.text.decode(), arena, begin)
    except BaseException as problem:
        fail(page, "".join(traceback.format_exception(problem))[-900:])
        return
    page.done = window
    while True:
        window = wait_for_go(page, window)
        name = acts[page.act]
        try:
            program.act(name)
        except BaseException as problem:
            fail(page, "".join(traceback.format_exception(problem))[-900:])
            continue
        page.done = window


def run_zygote(page: Page, torch: Any, arena: int) -> None:
    window = 0
    while True:
        window = wait_for_go(page, window, in_zygote=True)
        begin = time.monotonic()
        pid = os.fork()
        if pid == 0:
            # Not refused where no namespace of pids ends it with the zygote.
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            run_program(page, torch, arena, window, begin)
            os._exit(0)
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended != 0:
                break
            if page.drop:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                status = 0
                break
            time.sleep(0.0005)
        if status != 0:
            fail(page, f"the program ended with {status}")
        window = page.called_back
        page.drop = 0


def main() -> None:
    os.environ.update(
        HOME="/tmp",
        USER="probe",
        TRITON_CACHE_DIR="/tmp/triton",
        TORCHINDUCTOR_CACHE_DIR="/tmp/inductor",
        TORCHINDUCTOR_COMPILE_THREADS="1",
    )
    memory = mmap.mmap(3, 8192)
    page = Page.from_buffer(memory)
    channel = socket.socket(fileno=4)
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    try:
        import torch
    except ImportError as problem:
        fail(page, str(problem))
        return
    page.ready = 1
    run_zygote(page, torch, descriptors[0])


if __name__ == "__main__":
    main()
