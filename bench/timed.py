#!/usr/bin/env python3
"""Measures verdicts with times, and writes bench/results/timed.json.

Usage: bench/timed.py BUILD_FOLDER [CELL...]

Beside bench/fresh_process.py --timed, a process for each candidate that builds its extension,
checks five trials and times a hundred calls of it and of the model. One at a time: who times does
not do two things at once.

    quick        forty small candidates in Python and ten with an extension, `--quick`
    full_built   ten with an extension each, to the end
    full_plain   ten without

Nothing is built before on either side but assay's precompiled header, which a machine makes once.
Each of ours is timed against eager. What came out undecided is counted, and no less a verdict.
Medians of three rounds; a round takes about ten minutes. With cells named, figures of others stay.
"""

import json
import os
import statistics
import sys
import tempfile
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
Pairs = list[tuple[Path, Path]]


def undecided(run: Path) -> float:
    """Their share."""
    attempts = json.loads((run / "report.json").read_text())["attempts"]
    assert all(attempt["timing"] for attempt in attempts), "not all were timed"
    return sum(each["outcome"] == "undecided" for each in attempts) / len(attempts)


def candidates(folder: Path, number: int, plain: int, built: int) -> Pairs:
    folder.mkdir()
    pairs = choose(folder, plain)
    add_extensions(folder, pairs, number, built)
    return pairs


def main() -> int:
    if len(sys.argv) < 2 or not CELLS.keys() >= set(sys.argv[2:]):
        print(__doc__)
        return 2
    assay = Path(sys.argv[1]).resolve() / "bin" / "assay"
    repository = Path(__file__).resolve().parents[1]
    os.environ.setdefault("ASSAY_PYTHON", str(repository / ".venv/bin/python3"))
    named = sys.argv[2:]
    cells = {name: CELLS[name] for name in named or CELLS}
    ours: dict[str, list[float]] = {name: [] for name in cells}
    theirs: dict[str, list[float]] = {name: [] for name in cells}
    open_: dict[str, list[float]] = {name: [] for name in cells}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        cache = scratch / "cache"
        candidates(scratch / "warm", 999, 0, 1)
        warm = [scratch / "warm" / kind / "ext_0.py" for kind in ("problems", "candidates")]
        with_assay(assay, warm[0], warm[1], scratch / "warm" / "run", cache)
        for n in range(ROUNDS):
            for number, (cell, (plain, built, options)) in enumerate(cells.items()):
                folder = scratch / f"{cell}_{n}"
                pairs = candidates(folder, 10 * n + number, plain, built)
                places = folder / "problems", folder / "candidates", folder / "run"
                ours[cell].append(with_assay(assay, *places, cache, *AGAINST, *options))
                open_[cell].append(undecided(folder / "run"))
                os.environ["TORCH_EXTENSIONS_DIR"] = str(folder / "extensions")
                theirs[cell].append(with_fresh_processes(pairs, 1, "--timed"))
        figures = json.loads(RESULT.read_text())["figures"] if named else {}
        if not named:
            figures["native_quick_s"] = native_seconds(assay, scratch, *AGAINST, "--quick")
    for cell, (plain, built, _) in cells.items():
        count = plain + built
        figures[f"{cell}_per_minute"] = 60 * count / statistics.median(ours[cell])
        figures[f"{cell}_fresh_process_per_minute"] = 60 * count / statistics.median(theirs[cell])
        figures[f"{cell}_ratio"] = statistics.median(theirs[cell]) / statistics.median(ours[cell])
        figures[f"{cell}_undecided_percent"] = 100 * statistics.median(open_[cell])
    result_file.write("timed", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
