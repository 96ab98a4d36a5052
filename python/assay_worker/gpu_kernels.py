"""Has a candidate's kernels compiled for a GPU, by calling it where none is, and tells of them."""

import sys
from collections.abc import Callable
from typing import Any

from assay_worker.control_page import Outcome, Report
from assay_worker.failure import Failed, Unsupported, blame, chain, text_of
from assay_worker.gpu import why_not_here
from assay_worker.protocol import Message, write_line


def compile_by(call: Callable[[], Any], path: str, descriptor: int, phases: bool) -> Report:
    """Calls once, and writes what came of it to the file: src/verify/gpu_kernels.h has the format.

    What the call returns is nothing: no kernel ran. So is what the candidate's code makes of it,
    and where it raises behind its first kernel, that one is compiled all the same.
    """
    raised: Failed | None = None
    try:
        with blame("exception", path):
            call()
    except Failed as failed:
        raised = failed
    except Unsupported as error:  # the candidate can import it: it is a failure of its own
        raised = Failed("exception", f"{type(error).__name__}: {error}", "")
    # Without Triton, or where the candidate has not imported it, there is nothing to ask.
    device = sys.modules.get("assay_worker.triton_device")
    kernels, files = device.KERNELS.told(phases) if device else ([], [])
    refused = device.KERNELS.refused if device else []
    told: Message = {"kernels": kernels}
    if raised:
        told |= _told_of(raised, refused, bool(kernels))
    elif refused and not kernels:  # and its own code goes on without
        told["failed"] = {"class": "build", "error": _compilers_line(refused[0]), "detail": ""}
    write_line(descriptor, told, files)
    return Report(Outcome.FINISHED)


def _told_of(raised: Failed, refused: list[BaseException], compiled: bool) -> Message:
    """{"failed"}, {"unsupported"} or {"stopped"}, as it is the candidate's or the GPU's absence."""
    error = raised.__context__
    for link in chain(error):
        if any(link is each for each in refused):
            failed = {"class": "build", "error": _compilers_line(link), "detail": raised.detail}
            return {"failed": failed}
    why = why_not_here(error)
    if compiled or (why and why.startswith("LibraryForGpu")):
        return {"stopped": why or raised.error}
    if why:
        return {"unsupported": {"reason": why}}
    return {"failed": raised.answer()["failed"]}


def _compilers_line(error: BaseException) -> str:
    """What a compiler's error comes to: the last line, behind the code that it is about.

    ptxas says more behind its own.
    """
    lines = [line.strip() for line in text_of(error).splitlines() if line.strip()]
    if type(error).__name__ == "PTXASError":
        lines = [line for line in lines if "error" in line and ";" in line] or lines
        lines = lines[:1]
    return f"{type(error).__name__}: {lines[-1]}" if lines else type(error).__name__
