"""Blame: turns whatever user code or a library raised into the words of an answer."""

import contextlib
import itertools
import os
import traceback
from collections.abc import Iterator
from errno import EDQUOT, ENOMEM, ENOSPC
from types import TracebackType

from assay_worker.protocol import Message

MAX_ERROR_CHARACTERS = 400
MAX_DETAIL_BYTES = 16 << 10

# What torch's allocator and a std::bad_alloc that crossed it say; both arrive as RuntimeError.
_ALLOCATOR_MESSAGES = ("can't allocate memory", "not enough memory", "std::bad_alloc")


class Explained(Exception):
    """An error of ours whose message is a whole sentence for the reader: what, and what to do."""


class Unsupported(Exception):
    """The exporter declines a workload that is sound in itself; the message is the reason."""

    def answer(self) -> Message:
        return {"final": True, "unsupported": {"reason": str(self)}}


class Failed(Exception):
    """A step broke on a workload: `failure_class` of the closed list, one line, and a traceback."""

    def __init__(self, failure_class: str, error: str, detail: str) -> None:
        super().__init__(error)
        self.failure_class, self.error, self.detail = failure_class, error, detail

    def answer(self) -> Message:
        failed = {"class": self.failure_class, "error": self.error, "detail": self.detail}
        return {"final": True, "failed": failed}


@contextlib.contextmanager
def blame(failure_class: str, path: str) -> Iterator[None]:
    """Whatever the block raises becomes Failed(failure_class), `out_of_memory` or `disk_full`.

    Everything: user code may raise SystemExit or KeyboardInterrupt, and that is a finding about the
    workload in `path`, not the end of the worker.
    """
    try:
        yield
    except (Failed, Unsupported):
        raise
    except BaseException as error:
        if _out_of_memory(error):
            failure_class = "out_of_memory"
            _release_locals(error)
        elif _disk_full(error):
            failure_class = "disk_full"
        raise Failed(failure_class, _error_line(error, path), _detail(error, path)) from None


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it, outermost first."""
    seen: set[int] = set()
    link = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _out_of_memory(error: BaseException) -> bool:
    return any(
        isinstance(link, MemoryError)
        or (isinstance(link, OSError) and link.errno == ENOMEM)
        or (isinstance(link, RuntimeError) and any(m in text_of(link) for m in _ALLOCATOR_MESSAGES))
        for link in chain(error)
    )


def _disk_full(error: BaseException) -> bool:
    return any(
        isinstance(link, OSError) and link.errno in (ENOSPC, EDQUOT) for link in chain(error)
    )


def _release_locals(error: BaseException) -> None:
    """Frees what the failed frames hold, so that there is memory to say what happened."""
    for link in chain(error):
        traceback.clear_frames(link.__traceback__)


def _error_line(error: BaseException, path: str) -> str:
    """`Type: message (file.py:12:5)`; the place is the deepest one of the user's file, if any."""
    lines = [line.strip() for line in text_of(error).splitlines() if line.strip()]
    message = lines[0] if lines else ""
    if message.endswith(":") and len(lines) > 1:
        message = f"{message} {lines[1]}"  # a heading says nothing without what stands below it
    if not isinstance(error, Explained):
        message = f"{type(error).__name__}: {message}" if message else type(error).__name__
    if len(message) > MAX_ERROR_CHARACTERS:
        message = message[:MAX_ERROR_CHARACTERS] + "..."
    places = _user_places(error, path)
    return f"{message} ({os.path.basename(path)}:{places[-1]})" if places else message


def text_of(error: BaseException) -> str:
    """What it says of itself; "" where it cannot."""
    if isinstance(error, SyntaxError):
        return error.msg or ""  # its str() repeats file and line
    try:
        return str(error)
    except BaseException:  # __str__ may be the user's
        return ""


def _user_places(error: BaseException, path: str) -> list[str]:
    """Places in the user's file, of the outermost error that passed through it, deepest last."""
    for link in chain(error):
        places = [place for name, place in frames(link.__traceback__) if name == path]
        if isinstance(link, SyntaxError) and link.filename == path and link.lineno:
            places.append(_place(link.lineno, link.offset))
        if places:
            return places
    return []


def frames(step: TracebackType | None) -> Iterator[tuple[str, str]]:
    """File and place of each, the outermost first."""
    while step is not None:
        yield step.tb_frame.f_code.co_filename, _place(step.tb_lineno, _column(step))
        step = step.tb_next


def _place(line: int, column: int | None) -> str:
    return f"{line}:{column}" if column else str(line)


def _column(step: TracebackType) -> int | None:
    """Counted from 1. Python before 3.11 does not know it."""
    code = step.tb_frame.f_code
    if not hasattr(code, "co_positions"):
        return None
    at = next(itertools.islice(code.co_positions(), step.tb_lasti // 2, None), None)
    return at[2] + 1 if at and at[2] is not None else None


def _detail(error: BaseException, path: str) -> str:
    """The traceback. One that is too long keeps its end, under the user's own lines."""
    try:
        whole = "".join(traceback.format_exception(error)).encode("utf-8", "replace")
    except BaseException:  # memory may be short, and the user may have broken what this relies on
        return ""
    if len(whole) <= MAX_DETAIL_BYTES:
        return whole.decode("utf-8")
    steps = traceback.extract_tb(error.__traceback__)
    ours = [step for step in steps if step.filename == path][-16:]
    head = "".join(traceback.format_list(ours)).encode("utf-8", "replace")[: MAX_DETAIL_BYTES // 2]
    head += b"  ... shortened; the end of the traceback ...\n"
    return (head + whole[len(head) - MAX_DETAIL_BYTES :]).decode("utf-8", "ignore")
