"""Lays entries out as `assay run` wants files, and has it judge them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness.entries import Entry

COULD_NOT_WORK = 2  # the exit status, of assay and of what calls it here


class CouldNotWork(Exception):
    """assay did not do what it is asked for: its command, and what it could not judge."""


def lay_out(scratch: Path, entries: list[Entry], *, share: bool = False) -> dict[str, Entry]:
    """Problems in `scratch`, and a folder of candidates for each kind. Returns entries by the name
    of their attempt.

    Each entry has a problem of its own, by the entry's name: what becomes of it has nothing to do
    with others. With `share` those of one problem are its candidates, numbered from the second on.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "problems").mkdir(parents=True)
    named: dict[str, Entry] = {}
    numbers: dict[tuple[str, str], int] = defaultdict(int)
    laid: dict[str, Path] = {}
    for entry in entries:
        problem = entry.problem.stem if share else entry.name
        if laid.setdefault(problem, entry.problem) != entry.problem:
            raise ValueError(f"{entry.problem} and {laid[problem]} would have one name here")
        author = scratch / entry.kind
        author.mkdir(exist_ok=True)
        shutil.copy(entry.problem, scratch / "problems" / f"{problem}.py")
        numbers[entry.kind, problem] += 1
        number = numbers[entry.kind, problem]
        suffix = f"__s{number}" if number > 1 else ""
        shutil.copy(entry.candidate, author / f"{problem}{suffix}{entry.candidate.suffix}")
        named[f"{problem}/{entry.kind}{suffix}"] = entry
    return named


def arguments(scratch: Path, by: tuple[str, ...] = ()) -> list[str]:
    """Of `assay run`: what was laid out, and the problems by other authors, too."""
    folders = sorted(path for path in scratch.iterdir() if path.is_dir())
    authors = [*by, *(f"file:{path}" for path in folders if path.name != "problems")]
    return [str(scratch / "problems"), "--by", ",".join(authors)]


def run(assay: str, options: list[str], out: Path, *, silent: bool = False) -> list[Any]:
    """The report's attempts. Raises CouldNotWork, also where assay could not judge one of them."""
    command = [assay, "run", *options, "--on", "local", "--quiet", "--out", str(out)]
    report = out / "report.json"
    shutil.rmtree(out, ignore_errors=True)  # what stands there afterwards is of now
    if not silent:
        print("$", *command, flush=True)
    output = subprocess.DEVNULL if silent else None
    try:
        status = subprocess.run(command, check=False, stdout=output).returncode
    except OSError as error:
        raise CouldNotWork(str(error)) from None
    attempts: list[Any] = json.loads(report.read_text())["attempts"] if report.exists() else []
    if status not in (0, 1) or not report.exists():
        left = [
            f"{each['id']}: {each['error']}" for each in attempts if each["verdict"] == "not_judged"
        ]
        raise CouldNotWork("\n  ".join([f"{' '.join(command)}: ended with {status}", *left]))
    return attempts


def by_name(attempts: list[Any]) -> dict[str, Any]:
    """By what lay_out() names them: their problem and author, with a number from the author's
    second candidate on."""
    # suite, level, target, name
    return {attempt["id"].split("/", 3)[3]: attempt for attempt in attempts}


def ended(attempt: Any) -> str:
    """Its verdict, and why."""
    why = attempt["reason"] or attempt["class"]
    return f"{attempt['verdict']} ({why})" if why else str(attempt["verdict"])
