"""Whether a candidate ended for want of a GPU, where none is pretended to be: on the CPU.

That is so of what torch, Triton or a library for devices raises, and of code that itself refuses
what is not on one. An accident is none of these: a name that is missing, shapes that don't fit.
"""

import os
import re

from assay_worker.failure import chain, text_of
from assay_worker.gpu import is_of_devices

# Packages that do nothing without a device.
_PACKAGES = frozenset(("triton", "cupy", "pycuda", "cuda", "hip", "pyhip", "tilelang"))
# Where Triton looks for one.
_OF_TRITON = (
    f"{os.sep}triton{os.sep}runtime{os.sep}driver.py",
    f"{os.sep}triton{os.sep}backends{os.sep}",
)
# Of torch's own code in C++, which has no frame: what it says of a device that is not here.
_OF_TORCH = re.compile(
    r"not linked with support for (cuda|hip)|arguments from the '(CUDA|HIP)' backend"
    r"|dummy base class|on a CUDA device but torch\.cuda\.is_available",
    re.IGNORECASE,
)
_LIBRARY = re.compile(r"\blib(cu|nv|amdhip|hip|roc|nccl|rccl|c10_cuda|torch_cuda)\w*\.so")
# What refuses says what it wants: "x must be a CUDA tensor", "CUDA_HOME ... is not set".
_WANTS_ONE = re.compile(r"(?<![A-Za-z])(CUDA|HIP|ROCm|GPU|CUDA_HOME|ROCM_HOME)(?![A-Za-z])", re.I)
_REFUSALS = (RuntimeError, ValueError, AssertionError, OSError)
# In the line of an assertion that says nothing.
_LOOKS_FOR_ONE = re.compile(rb"\.is_cuda\b|\.is_available\(|\.device(\.type)?\s*(==|!=)")


def is_wanted(raised: BaseException | None, source: bytes, path: str) -> bool:
    """Whether the candidate, whose file is `source`, would have gone on with a GPU, as it seems."""
    return any(_is_for_want_of_one(error, source, path) for error in chain(raised))


def _is_for_want_of_one(error: BaseException, source: bytes, path: str) -> bool:
    text = text_of(error)
    if isinstance(error, ImportError):
        package = (error.name or "").partition(".")[0]
        missing = isinstance(error, ModuleNotFoundError) and package in _PACKAGES
        return missing or _LIBRARY.search(text) is not None
    if is_of_devices(error) or _is_of_triton(error):
        return True
    if isinstance(error, AssertionError) and not text:
        return _LOOKS_FOR_ONE.search(_line_of(error, source, path)) is not None
    if isinstance(error, _REFUSALS):
        return any(each.search(text) for each in (_OF_TORCH, _LIBRARY, _WANTS_ONE))
    return False


def _is_of_triton(error: BaseException) -> bool:
    step = error.__traceback__
    while step is not None:
        if any(part in step.tb_frame.f_code.co_filename for part in _OF_TRITON):
            return True
        step = step.tb_next
    return False


def _line_of(error: BaseException, source: bytes, path: str) -> bytes:
    """The line of the candidate's file that raised it; b"": another file did."""
    step, number = error.__traceback__, 0
    while step is not None:
        number = step.tb_lineno if step.tb_frame.f_code.co_filename == path else 0
        step = step.tb_next
    lines = source.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else b""
