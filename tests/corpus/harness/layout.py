"""Lays entries out as `assay run` wants files, and has it judge them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness.entries import Entry

COULD_NOT_WORK = 2


def lay_out(scratch: Path, entries: list[Entry]) -> dict[str, Entry]:
    """Problems in `scratch`, and a folder of candidates for each kind. Returns entries by the name
    of their attempt: the problem and its author, with a number from the author's second candidate
    on."""
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "problems").mkdir(parents=True)
    named: dict[str, Entry] = {}
    numbers: dict[tuple[str, str], int] = defaultdict(int)
    for entry in entries:
        author, problem = scratch / entry.kind, entry.problem.stem
        author.mkdir(exist_ok=True)
        shutil.copy(entry.problem, scratch / "problems")
        numbers[entry.kind, problem] += 1
        number = numbers[entry.kind, problem]
        suffix = f"__s{number}" if number > 1 else ""
        shutil.copy(entry.candidate, author / f"{problem}{suffix}{entry.candidate.suffix}")
        named[f"{problem}/{entry.kind}{suffix}"] = entry
    return named


def run(assay: str, scratch: Path, by: tuple[str, ...], options: list[str], out: Path) -> Any:
    """Has what was laid out judged, and the problems by other authors, too. The report's attempts
    by name, or None when there is no report."""
    authors = sorted(path.name for path in scratch.iterdir() if path.name != "problems")
    authors = [*by, *(f"file:{scratch / author}" for author in authors)]
    command = [assay, "run", str(scratch / "problems"), "--by", ",".join(authors), "--on", "local"]
    command += [*options, "--quiet", "--out", str(out)]
    report = out / "report.json"
    shutil.rmtree(out, ignore_errors=True)  # what stands there afterwards is of now
    print("$", *command, flush=True)
    status = subprocess.run(command, check=False).returncode
    if status < 0 or status >= COULD_NOT_WORK or not report.exists():
        print(f"assay ended with {status}")
        return None
    attempts = json.loads(report.read_text())["attempts"]
    # suite, level, target, name
    return {attempt["id"].split("/", 3)[3]: attempt for attempt in attempts}


def ended(attempt: Any) -> str:
    """Its verdict, and why."""
    why = attempt["reason"] or attempt["class"]
    return f"{attempt['verdict']} ({why})" if why else str(attempt["verdict"])
