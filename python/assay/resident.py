"""One process of `assay serve --stdio`, and what it was asked."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import queue
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

from .errors import Error
from .verdict import Verdict, verdict_of

# What it may take to end once nothing is to be done any more, and once it was told to end.
END_SECONDS = 10.0
STDERR_BYTES = 4000


class Pending(Future[Verdict]):
    """A verdict that is to come: a `concurrent.futures.Future`, and in asyncio awaitable.

    `cancel()` ends what is under way. `result()` raises Error where there is no verdict.
    """

    def __await__(self) -> Generator[Any, None, Verdict]:
        return asyncio.wrap_future(self).__await__()


class Resident:
    """Has two threads, so that nobody who asks waits for a pipe. Raises Error where it cannot be
    started."""

    def __init__(self, command: list[str]) -> None:
        self._stderr = tempfile.TemporaryFile()
        try:
            # Ctrl-C is for the program here: torch would have to be loaded again.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
            )
        except OSError as failure:
            self._stderr.close()
            raise Error(
                f"assay cannot be started: {failure}", "give its path as Judge(assay=...)"
            ) from failure
        self._lock = threading.Lock()
        self._last_id = 0
        self._open: dict[int, Pending] = {}
        self._has_ended = False
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="assay answers", daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, name="assay requests", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, body: bytes) -> Pending | None:
        """A request: a JSON object without its id. None: it has ended."""
        pending = Pending()
        with self._lock:
            if self._has_ended:
                return None
            self._last_id += 1
            id = self._last_id
            self._open[id] = pending
        self._lines.put(b'{"id": %d, ' % id + body[1:] + b"\n")
        pending.add_done_callback(lambda _: self._cancel(id))
        return pending

    def close(self, cancel: bool) -> None:
        """Waits until all is answered, or cancels it; and until the process has ended."""
        with self._lock:
            left = list(self._open.values())
        if cancel:
            for pending in left:
                pending.cancel()
        concurrent.futures.wait(left)
        self._lines.put(None)
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(END_SECONDS)
                break
            except subprocess.TimeoutExpired:
                end()
        self._reader.join()
        self._stderr.close()

    def _cancel(self, id: int) -> None:
        """Of one that is done: if it is open here, it is so because it was cancelled."""
        with self._lock:
            pending = self._open.pop(id, None)
        if pending is None:
            return
        # Else who waits for several futures would wait for this one for ever.
        pending.set_running_or_notify_cancel()
        self._lines.put(b'{"id": %d, "cancel": true}\n' % id)

    def _write(self) -> None:
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError), self._process.stdin as pipe:
            while (line := self._lines.get()) is not None:
                pipe.write(line)
                pipe.flush()

    def _read(self) -> None:
        assert self._process.stdout
        strange = b""
        with self._process.stdout as pipe:
            for line in pipe:
                try:
                    self._take(json.loads(line))
                except (LookupError, TypeError, ValueError):  # half a line, or another version's
                    strange = line
                    self._process.kill()
                    break
        status = self._process.wait()
        with self._lock:
            self._has_ended = True
            left = list(self._open.values())
            self._open.clear()
        self._lines.put(None)
        for pending in left:
            settle(pending, self._why_ended(status, strange))

    def _take(self, answer: dict[str, Any]) -> None:
        if answer.get("cancelled"):
            return
        outcome = outcome_of(answer)
        if answer["id"] is None:
            raise ValueError("it was told that a line is no JSON, and does not know which")
        with self._lock:
            pending = self._open.pop(answer["id"], None)
        if pending:  # else it was cancelled, too late
            settle(pending, outcome)

    def _why_ended(self, status: int, strange: bytes) -> Error:
        end = f"with status {status}" if status >= 0 else f"by {signal_name(-status)}"
        if strange:
            end = f"as it said what this package cannot read: {strange[:200]!r}"
        self._stderr.seek(0, 2)
        self._stderr.seek(max(0, self._stderr.tell() - STDERR_BYTES))
        said = self._stderr.read().decode(errors="replace").strip()
        return Error(
            f"the resident assay ended {end}" + (f"\n{said}" if said else ""),
            ("mend what it says, and " if said else "")
            + "ask again: the next request starts another one",
        )


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of real time
        return f"signal {number}"


def outcome_of(answer: dict[str, Any]) -> Verdict | Error:
    if "invalid" not in answer:
        return verdict_of(answer)
    # Which line of assay's input it was is nothing to who asked.
    why = re.sub(r"^line \d+: ", "", answer["invalid"])
    return Error(f"this is no request: {why}", "mend it: assay.Request says what each field may be")


def settle(pending: Pending, outcome: Verdict | Error) -> None:
    if not pending.set_running_or_notify_cancel():
        return
    if isinstance(outcome, Verdict):
        pending.set_result(outcome)
    else:
        pending.set_exception(outcome)
