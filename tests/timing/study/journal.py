"""What was done, a line of JSON for each comparison: a study goes on from there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

COMPARISON = "comparison"  # the kind of such rows


@dataclass
class Comparison:
    """One candidate against one baseline. Times are of the whole, the verdict included."""

    cell: str
    made_of: str  # the fingerprint of the kind
    round: int
    candidate: int  # from 1
    expected: str
    outcome: str  # "" where it was not timed
    reason: str  # of an outcome that is undecided; of what was not timed, the error
    ratio: float | None
    low: float | None
    high: float | None
    launches: int | None
    seconds: float  # its share of its round's


class Journal:
    """A file that is only ever added to, a round at a time; a line without an end is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        whole, _, rest = text.rpartition("\n")
        if rest:  # what was cut off while it was written
            path.write_text(whole + "\n" if whole else "")
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]

    def add(self, rows: list[dict[str, Any]]) -> None:
        with self.path.open("a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
        self.rows += rows

    def add_comparisons(self, comparisons: list[Comparison]) -> None:
        self.add([{"kind": COMPARISON, **asdict(each)} for each in comparisons])

    def comparisons(self, cell: str, made_of: str) -> list[Comparison]:
        """Those of a cell, of the kernels as they are now."""
        return [
            Comparison(**{key: value for key, value in row.items() if key != "kind"})
            for row in self.of(COMPARISON)
            if row["cell"] == cell and row["made_of"] == made_of
        ]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Rows whose field `kind` is this: a comparison, or what another part writes."""
        return [row for row in self.rows if row["kind"] == kind]
