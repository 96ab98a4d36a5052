#!/usr/bin/env python3
"""How often an honest kernel is refused, or a broken one accepted, by the luck of its inputs.

    tests/corpus/seeds.py                  each entry of both twenty times: a quarter of an hour
    tests/corpus/seeds.py --times 100 gelu entries with one of these in their names
    tests/corpus/seeds.py --write          writes the figures to bench/results/seeds.json

Each time it is verified under another secret seed. Rates come with the bound that 95 of 100 such
studies keep, whatever the true rate is; entries are few and were not drawn, so it says something of
seeds, and of these kernels. $ASSAY names the binary (build/release/bin/assay).

Exit status: 0 no broken one was accepted, 1 some were, 2 assay could not work.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "bench"))

import result_file
from harness.binomial import upper_bound
from harness.entries import Entry, folders, is_named, read
from harness.layout import COULD_NOT_WORK, CouldNotWork
from judge import VERIFIED, judge

CONFIDENCE = 0.95
# Of a kind: what an error is called.
ERRORS = {"honest": "refused", "broken": "accepted"}


def errors_of(entries: list[Entry], assay: str, times: int) -> Counter[str]:
    """By the entry's id, how many of so many verdicts were wrong; each is printed. Raises
    CouldNotWork."""
    wrong: Counter[str] = Counter()
    for time in range(times):
        with tempfile.TemporaryDirectory(prefix="assay-seeds-") as scratch:
            attempts = judge(entries, assay, Path(scratch), VERIFIED)
        for entry in entries:
            attempt = attempts[entry.id]
            if (attempt["verdict"] == "accepted") != (entry.kind == "honest"):
                wrong[entry.id] += 1
                said = attempt["error"] or attempt["verdict"]
                print(f"{time + 1} of {times}: {entry.id}: {said}", flush=True)
    return wrong


def figures_of(entries: list[Entry], times: int, wrong: Counter[str]) -> dict[str, float]:
    """Prints them, too."""
    figures: dict[str, float] = {}
    for kind, error in ERRORS.items():
        chosen = [entry.id for entry in entries if entry.kind == kind]
        if not chosen:
            continue
        tries, errors = times * len(chosen), sum(wrong[each] for each in chosen)
        most = 100 * upper_bound(errors, tries, CONFIDENCE)
        print(f"{kind}, {error}: {errors} of {tries} (95 % sure: at most {most:.2f} %)")
        figures[f"seeds_{kind}_tries"] = tries
        figures[f"seeds_{kind}_{error}"] = errors
        figures[f"seeds_{kind}_{error}_at_most_percent"] = most
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--times", type=int, default=20, metavar="N", help="each [20]")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.times < 1:
        parser.error(f"--times {arguments.times}: once at least")
    assay = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))
    names = arguments.names
    entries = [
        entry
        for entry in map(read, folders())
        if entry.kind in ERRORS and is_named(entry.id, names)
    ]
    if not entries:
        parser.error(f"no honest and no broken entry has {' or '.join(names)} in its name")
    try:
        wrong = errors_of(entries, assay, arguments.times)
    except CouldNotWork as error:
        print(f"nothing is said of seeds: {error}", file=sys.stderr)
        return COULD_NOT_WORK
    figures = figures_of(entries, arguments.times, wrong)
    if arguments.write:
        result_file.write("seeds", {"seeds": arguments.times, **figures}, wrong=dict(wrong))
    return 1 if any(each.startswith("broken/") for each in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
