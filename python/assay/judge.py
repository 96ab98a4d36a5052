"""Who asks for verdicts: one resident assay, begun anew where it has ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import sysconfig
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from .errors import Error
from .request import Request
from .resident import Pending, Resident
from .verdict import Verdict


class Judge:
    """Judges candidates in one resident assay, which has torch loaded.

        with assay.Judge(against="eager", quick=True) as judge:
            verdict = judge.grade("gelu.py", code, language="cpp")

        async with assay.Judge() as judge:
            verdicts = await asyncio.gather(*map(judge.submit, requests))

    Any thread may ask. Where assay ends before its time, what is open gets an Error, and the next
    request starts another one. At the end of `with` all that is open is waited for; an exception
    cancels it.

    The options are those of `assay serve` (docs/manual.md#assay-serve). Times are in seconds, or
    texts as "2m"; sizes in bytes, or texts as "8G". `assay` is the program; without it, the one
    that was installed with this package, else that on PATH.
    """

    def __init__(
        self,
        *,
        on: str = "local",
        against: str | None = None,
        quick: bool = False,
        budget: str | float | None = None,
        cache: str | None = None,
        precision: str | None = None,
        mode: str | None = None,
        policy: str | Path | None = None,
        sanitize: bool = False,
        include: str | Path | None = None,
        counters: bool = False,
        threads: int | None = None,
        require_isolation: str | None = None,
        trust: bool = False,
        jobs: int | None = None,
        timeout: str | float | None = None,
        memory: str | int | None = None,
        assay: str | Path | None = None,
    ) -> None:
        self._assay = assay
        self._options = [
            *option("--on", on),
            *option("--against", against),
            *option("--quick", quick),
            *option("--budget", with_unit(budget, "s")),
            *option("--cache", cache),
            *option("--precision", precision),
            *option("--mode", mode),
            *option("--policy", policy),
            *option("--sanitize", sanitize),
            *option("--include", include),
            *option("--counters", counters),
            *option("--threads", threads),
            *option("--require-isolation", require_isolation),
            *option("--trust", trust),
            *option("--jobs", jobs),
            *option("--timeout", with_unit(timeout, "s")),
            *option("--memory", with_unit(memory, "B")),
        ]
        self._lock = threading.Lock()
        self._command: list[str] = []  # empty: it is not open
        self._owner = 0  # the process that opened it
        self._resident: Resident | None = None

    def __enter__(self) -> Judge:
        command = [find_assay(self._assay), "serve", "--stdio", *self._options]
        with self._lock:
            if self._command:
                raise Error("this judge is open already", "open another one: assay.Judge(...)")
            self._resident = Resident(command)
            self._command = command
            self._owner = os.getpid()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            resident, self._resident, self._command = self._resident, None, []
        if resident:
            resident.close(cancel=kind is not None)

    async def __aenter__(self) -> Judge:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, traceback)

    def grade(
        self,
        problem: str | Path,
        code: str | Path | None = None,
        *,
        answer: str | None = None,
        language: str | None = None,
        target: str | None = None,
        precision: str | None = None,
        mode: str | None = None,
        timeout: float | None = None,
        memory: int | None = None,
        seed: str | None = None,
        time: bool | None = None,
    ) -> Verdict:
        """Waits for the verdict. Raises Error; `Request` says what each argument is."""
        request = Request(
            problem=problem,
            code=code,
            answer=answer,
            language=language,
            target=target,
            precision=precision,
            mode=mode,
            timeout=timeout,
            memory=memory,
            seed=seed,
            time=time,
        )
        pending = self.submit(request)
        try:
            return pending.result()
        finally:
            pending.cancel()  # of one that is done: nothing

    def map(self, requests: Iterable[Request]) -> list[Verdict | Error]:
        """Waits for all verdicts, which are in the order of the requests. A broken request, and
        what was open when assay ended, has its Error there, and costs no other."""
        pending: list[Pending] = []
        try:
            for request in requests:
                pending.append(self.submit(request))
            return [verdict_or_error(each) for each in pending]
        finally:
            for each in pending:
                each.cancel()

    def submit(self, request: Request) -> Pending:
        """Waits for nothing. Raises Error where the judge is not open; what is wrong with the
        request is told by what it returns."""
        with self._lock:
            self._check_open()
            try:
                body = encoded(request)
            except Error as error:
                broken = Pending()
                broken.set_exception(error)
                return broken
            while True:
                if self._resident is None:
                    self._resident = Resident(self._command)
                pending = self._resident.ask(body)
                if pending:
                    return pending
                self._resident = None

    @property
    def pid(self) -> int | None:
        """Of the resident process. None: there is none now."""
        resident = self._resident
        return resident.pid if resident else None

    def _check_open(self) -> None:
        if not self._command:
            raise Error(
                "this judge is not open",
                "use it inside of `with assay.Judge(...) as judge:` (or `async with`)",
            )
        if os.getpid() != self._owner:
            raise Error(
                "this judge was opened by another process, of which this one is a fork",
                "open a judge in each process, after the fork",
            )


def encoded(request: Request) -> bytes:
    """Raises Error: what is asked for may be anything."""
    if not isinstance(request, Request):
        raise Error(f"this is no request: {request!r:.100}", "give an assay.Request")
    return request.encoded()


def find_assay(given: str | Path | None) -> str:
    if given is not None:
        found = shutil.which(given)
        if found:
            return found
        raise Error(f"there is no program '{given}'", "give the path of assay as Judge(assay=...)")
    # Where this package lies among those of an environment, its assay lies among its programs.
    if Path(__file__).parents[1].samefile(sysconfig.get_path("platlib")):
        beside = shutil.which("assay", path=sysconfig.get_path("scripts"))
        if beside:
            return beside
    found = shutil.which("assay")
    if found:
        return found
    raise Error(
        "assay was not found: it is not on PATH, nor installed beside this package",
        "`pip install .` in a clone of assay, or give its path as Judge(assay=...)",
    )


def option(name: str, value: str | int | Path | None) -> list[str]:
    """An option of the command line: a flag where it is of one."""
    if value is None or value is False:
        return []
    return [name] if value is True else [name, str(value)]


def with_unit(value: str | float | None, unit: str) -> str | None:
    return f"{value}{unit}" if isinstance(value, int | float) else value


def verdict_or_error(pending: Pending) -> Verdict | Error:
    try:
        return pending.result()
    except Error as error:
        return error
