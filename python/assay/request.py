"""What is asked of assay: one candidate for one problem."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import Error

# By the ending of a candidate's file: the field of a request that it goes into, and its language.
ENDINGS = {
    ".py": ("code", "python"),
    ".c": ("code", "c"),
    ".cc": ("code", "cpp"),
    ".cpp": ("code", "cpp"),
    ".cu": ("code", "cuda"),
    ".hip": ("code", "hip"),
    ".md": ("text", None),
    ".txt": ("text", None),
}
# Of a line, with room for its id.
MOST_BYTES = (16 << 20) - 64


@dataclass(frozen=True)
class Request:
    """One candidate for one problem. What is None is as the judge was told.

    problem     a Path; or a text: the problem's source, if it has several lines, else what names
                one problem for `assay run`, as "gelu.py" or "op:softmax[rows=64,columns=1024]"
    code        the candidate's source, or the Path of its file
    answer      in the place of `code`: what a model said, with the code in a fenced block
    language    of `code`: "python" (as for a text that does not say), "c", "cpp", "cuda" or "hip"
    target      one of those that the judge was opened `on`
    precision   "f32", "f16", "bf16" or "f64"
    mode        "eval" or "train": what the model is put into
    timeout     seconds that each call and each build may take, within the judge's
    memory      bytes that it may take, within the judge's
    seed        of a verdict before (`verdict.record["seed"]`): the inputs are the same
    time        False: it is verified and not timed
    """

    problem: str | Path
    code: str | Path | None = None
    answer: str | None = None
    language: str | None = None
    target: str | None = None
    precision: str | None = None
    mode: str | None = None
    timeout: float | None = None
    memory: int | None = None
    seed: str | None = None
    time: bool | None = None

    def encoded(self) -> bytes:
        """A JSON object as `assay serve` reads it (docs/formats.md), but for the id. Raises
        Error."""
        try:
            given = {name: value for name, value in self._fields().items() if value is not None}
            encoded = json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as failure:  # half of a surrogate pair, too
            raise Error(
                f"this request cannot be written as JSON: {failure}",
                "give texts, numbers and Paths as assay.Request says",
            ) from failure
        if len(encoded) > MOST_BYTES:
            raise Error(
                f"this request has {len(encoded)} bytes, and can have {MOST_BYTES}",
                "a candidate is one file of code, or one answer with code in it",
            )
        return encoded

    def _fields(self) -> dict[str, Any]:
        return {
            **self._problem(),
            **self._candidate(),
            "target": self.target,
            "precision": self.precision,
            "mode": self.mode,
            "timeout_s": self.timeout,
            "memory_bytes": self.memory,
            "seed": self.seed,
            "time": self.time,
        }

    def _problem(self) -> dict[str, str]:
        if isinstance(self.problem, Path):
            return {"problem": str(self.problem.absolute())}
        if not isinstance(self.problem, str):
            raise Error(
                f"a request's problem is a Path or a text, and not {self.problem!r}",
                "give its Path, its source, or what names one for `assay run`",
            )
        if "\n" in self.problem:
            return {"problem_code": self.problem}
        # assay stays where it was started, and who asks may have gone elsewhere.
        is_path = os.path.exists(self.problem)
        return {"problem": os.path.abspath(self.problem) if is_path else self.problem}

    def _candidate(self) -> dict[str, str | None]:
        if (self.code is None) == (self.answer is None):
            raise Error(
                "a request has either code or an answer",
                "give the source as code=, or what a model said as answer=",
            )
        if self.answer is not None:
            return {"text": self.answer}
        if isinstance(self.code, Path):
            return self._file(self.code)
        return {"code": self.code, "language": self.language}

    def _file(self, path: Path) -> dict[str, str | None]:
        if self.language is not None:
            return {"code": read(path), "language": self.language}
        if path.suffix not in ENDINGS:
            raise Error(
                f"'{path}' does not say by its ending in which language it is",
                f"give language=, or a file that ends in {', '.join(ENDINGS)}",
            )
        field, language = ENDINGS[path.suffix]
        return {field: read(path), "language": language}


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise Error(
            f"'{path}' cannot be read: {failure}",
            "give a Path of a text file, or the source as str",
        ) from failure
