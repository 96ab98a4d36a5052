"""Attacks on the clock, of tests/corpus: whatever they do, none may come out as faster by it.

Each deceives the judge that people write (tests/naive_judge): that is their positive control, which
tests/corpus/check.py runs.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

from harness import layout
from harness.entries import Entry, folders, read

from study.rounds import CouldNotWork, first_of, run_assay

PER_ROUND = 5
SECONDS = 10.0  # of one, about
TIMES = 3  # each, in a whole study


def timing_attacks() -> list[Entry]:
    """All of the first table that exist on a CPU."""
    return [
        entry
        for entry in (read(folder) for folder in folders() if folder.parent.name == "attacks")
        if entry.exploit.startswith("T")
    ]


def fingerprint(entry: Entry) -> str:
    data = entry.candidate.read_bytes() + entry.problem.read_bytes()
    return hashlib.sha256(data).hexdigest()[:12]


def judge(
    assay: str, folder: Path, entries: list[Entry], time: int, quick: bool
) -> list[dict[str, Any]]:
    """Rows for the journal. Raises CouldNotWork."""
    named = layout.lay_out(folder, entries)
    arguments = [*layout.arguments(folder), "--against", "eager", "--timeout", "60s"]
    arguments += ["--quick"] if quick else []
    attempts = layout.by_name(run_assay(assay, arguments, folder / "run"))
    if attempts.keys() != named.keys():
        raise CouldNotWork(f"{folder}/run has not the attempts that were asked for")
    found = {entry.name: attempts[name] for name, entry in named.items()}
    shutil.rmtree(folder)
    return [
        {
            "kind": "attack",
            "name": entry.name,
            "made_of": fingerprint(entry),
            "time": time,
            "verdict": found[entry.name]["verdict"],
            "outcome": (first_of(found[entry.name]) or found[entry.name])["outcome"],
            "reason": found[entry.name]["reason"] or found[entry.name]["class"],
        }
        for entry in entries
    ]


def is_deceived(entry: Entry, row: dict[str, Any]) -> bool:
    """Whether it came out as faster, and is not: what T16_folds_layers does is allowed."""
    return row["outcome"] == "faster" and not entry.faster
