#!/usr/bin/env python3
"""Measures verdicts with times, and writes bench/results/timed.json.

Usage: bench/timed.py BUILD_FOLDER [CELL...]

Beside bench/fresh_process.py --timed, a process for each candidate that builds its extension,
checks five trials and times a hundred calls of it and of the model. One at a time: who times does
not do two things at once.

    quick        forty small candidates in Python and ten with an extension, `--quick`
    full_built   ten with an extension each, to the end
    full_plain   ten without; then those of them alone that were decided: what came out undecided
                 may have taken all launches that there are

Nothing is built before on either side but assay's precompiled header, which a machine makes once.
Each of ours is timed against eager. What came out undecided is counted, and no less a verdict.
Medians of three rounds; a round takes about ten minutes. With cells named, figures of others stay.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import result_file
from extensions import PLAIN, WITH_EXTENSION, add_extensions, with_assay
from verify import choose, native_seconds, with_fresh_processes

ROUNDS = 3
RESULT = result_file.RESULTS / "timed.json"
AGAINST = ("--against", "eager")
# Candidates without an extension, with one, and options.
CELLS = {
    "quick": (PLAIN, WITH_EXTENSION, ["--quick"]),
    "full_built": (0, WITH_EXTENSION, []),
    "full_plain": (WITH_EXTENSION, 0, []),
}
# Of which those that were decided are measured by themselves: nothing in it is built.
APART = "full_plain"
Pairs = list[tuple[Path, Path]]


@dataclass
class Cell:
    """What was measured of one, a value for each round."""

    ours: list[float] = field(default_factory=list)  # seconds for each candidate
    theirs: list[float] = field(default_factory=list)
    undecided: list[float] = field(default_factory=list)  # their share

    def figures(self, name: str) -> dict[str, float]:
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        return {
            f"{name}_per_minute": 60 / ours,
            f"{name}_fresh_process_per_minute": 60 / theirs,
            f"{name}_ratio": theirs / ours,
            f"{name}_undecided_percent": 100 * statistics.median(self.undecided),
        }


def undecided(run: Path) -> set[str]:
    """The problems whose candidates ended so."""
    attempts = json.loads((run / "report.json").read_text())["attempts"]
    assert all(attempt["timing"] for attempt in attempts), "not all were timed"
    return {each["workload"] for each in attempts if each["outcome"] == "undecided"}


def candidates(folder: Path, number: int, plain: int, built: int) -> Pairs:
    folder.mkdir()
    pairs = choose(folder, plain)
    add_extensions(folder, pairs, number, built)
    return pairs


def measure(assay: Path, cell: Cell, pairs: Pairs, run: Path, cache: Path, *options: str) -> Pairs:
    """A round of it. Returns those that were decided."""
    problem, candidate = pairs[0]
    ours = with_assay(assay, problem.parent, candidate.parent, run, cache, *AGAINST, *options)
    left_open = undecided(run)
    cell.ours.append(ours / len(pairs))
    cell.theirs.append(with_fresh_processes(pairs, 1, "--timed") / len(pairs))
    cell.undecided.append(len(left_open) / len(pairs))
    return [pair for pair in pairs if pair[0].stem not in left_open]


def copied(pairs: Pairs, folder: Path) -> Pairs:
    """A copy of them alone."""
    copies = []
    for pair in pairs:
        problem, candidate = (folder / each.parent.name / each.name for each in pair)
        for source, place in zip(pair, (problem, candidate), strict=True):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)
        copies.append((problem, candidate))
    return copies


def main() -> int:
    if len(sys.argv) < 2 or not CELLS.keys() >= set(sys.argv[2:]):
        print(__doc__)
        return 2
    assay = Path(sys.argv[1]).resolve() / "bin" / "assay"
    repository = Path(__file__).resolve().parents[1]
    os.environ.setdefault("ASSAY_PYTHON", str(repository / ".venv/bin/python3"))
    named = sys.argv[2:]
    cells = {name: Cell() for name in named or CELLS}
    decided = Cell()
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place)
        cache = scratch / "cache"
        candidates(scratch / "warm", 999, 0, 1)
        warm = [scratch / "warm" / kind / "ext_0.py" for kind in ("problems", "candidates")]
        with_assay(assay, warm[0], warm[1], scratch / "warm" / "run", cache)
        for n in range(ROUNDS):
            for number, (name, cell) in enumerate(cells.items()):
                plain, built, options = CELLS[name]
                folder = scratch / f"{name}_{n}"
                pairs = candidates(folder, 10 * n + number, plain, built)
                os.environ["TORCH_EXTENSIONS_DIR"] = str(folder / "extensions")
                alone = measure(assay, cell, pairs, folder / "run", cache, *options)
                if name == APART:
                    alone = copied(alone, folder / "alone")
                    measure(assay, decided, alone, folder / "alone_run", cache)
        figures = json.loads(RESULT.read_text())["figures"] if named else {}
        if not named:
            figures["native_quick_s"] = native_seconds(assay, scratch, *AGAINST, "--quick")
    for name, cell in cells.items():
        figures |= cell.figures(name)
    if APART in cells:
        figures |= decided.figures(f"{APART}_decided")
    result_file.write("timed", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
