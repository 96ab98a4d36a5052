"""What was done, a line of JSON for each comparison: a study goes on from there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
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


Row = dict[str, Any]
FIELDS = {field.name for field in fields(Comparison)}


class Rows:
    """What is known of a study. A row may say more than is asked for: when it was made, where."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def comparisons(self, cell: str, made_of: str) -> list[Comparison]:
        """Those of a cell, of the kernels as they are now."""
        return [
            Comparison(**{key: value for key, value in row.items() if key in FIELDS})
            for row in self.of(COMPARISON)
            if row["cell"] == cell and row["made_of"] == made_of
        ]

    def of(self, kind: str) -> list[Row]:
        """Rows whose field `kind` is this: a comparison, or what another part writes."""
        return [row for row in self.rows if row["kind"] == kind]


class Journal(Rows):
    """A file that is only ever added to, a round at a time; a line without an end is none.

    Each row is stamped with what is the same for all that are added now.
    """

    def __init__(self, path: Path, stamp: Row | None = None) -> None:
        self.path = path
        self.stamp = stamp or {}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        whole, _, rest = text.rpartition("\n")
        if rest:  # what was cut off while it was written
            path.write_text(whole + "\n" if whole else "")
        super().__init__([json.loads(line) for line in whole.splitlines()])

    def add(self, rows: list[Row]) -> None:
        stamped = [self.stamp | row for row in rows]
        with self.path.open("a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in stamped))
        self.rows += stamped

    def add_comparisons(self, comparisons: list[Comparison]) -> None:
        self.add([{"kind": COMPARISON, **asdict(each)} for each in comparisons])
