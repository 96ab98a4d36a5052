"""What studies came to, comparison by comparison: bench/results/timing.jsonl, which is committed.

A study takes hours, and may be made in parts on several days. Each row has, besides what the
journal says, which assay it is of and on what machine it was made.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from study.journal import COMPARISON, Row

PATH = Path(__file__).resolve().parents[3] / "bench" / "results" / "timing.jsonl"


def stamp(assay: str, seed: int) -> Row:
    """Of rows that are made now: the binary, by its hash, the variants' seed, and this machine."""
    return {
        "assay": assay,
        "seed": seed,
        "machine": f"{os.cpu_count()} cores, {processor()}",
        "date": datetime.now(timezone.utc).date().isoformat(),
    }


def processor() -> str:
    text = Path("/proc/cpuinfo").read_text()
    found = {
        key: match[1]
        for key in ("model name", "cpu family", "model")
        if (match := re.search(rf"^{key}\s*: (.*)$", text, re.MULTILINE))
    }
    name = found.get("model name", "a processor without a name")
    # Virtual machines' names leave out which one it is.
    return f"{name} (family {found.get('cpu family')}, model {found.get('model')})"


def part_of(row: Row) -> str:
    """What is published as a whole: a cell, all attacks, or all that other tools say."""
    return str(row["cell"]) if row["kind"] == COMPARISON else str(row["kind"])


def read(path: Path = PATH) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def rows_of(published: list[Row], assay: str, seed: int) -> list[Row]:
    return [row for row in published if (row["assay"], row["seed"]) == (assay, seed)]


def merged(published: list[Row], of_study: list[Row]) -> list[Row]:
    """A part of the study takes the place of the same that was published, if it has as many rows.

    Parts are never mixed: all rows of one are of the same assay. In the order of their parts.
    """
    size, published_size = (Counter(map(part_of, rows)) for rows in (of_study, published))
    taken = {part for part in size if size[part] >= published_size[part]}
    rows = [row for row in published if part_of(row) not in taken]
    rows += [row for row in of_study if part_of(row) in taken]
    return sorted(rows, key=part_of)  # keeps the order within one


def write(rows: list[Row], path: Path = PATH) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text("".join(json.dumps(row) + "\n" for row in rows))
    temporary.replace(path)
