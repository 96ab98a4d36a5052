#!/usr/bin/env python3
"""Has assay judge the corpora, and says where its verdict is not the one expected.

    tests/corpus/judge.py               all of them
    tests/corpus/judge.py broken/ C1    entries with one of these in their names
    tests/corpus/judge.py --write       and tries all escapes from the jail; writes the figures to
                                        bench/results/corpus.json
    tests/corpus/judge.py --timed       and times what is right, quickly: it must stay so

$ASSAY names the binary (build/release/bin/assay). An honest kernel that is refused is judged again,
under other seeds: what one seed alone refuses is unsteady, and counted apart. A wrong one must
never be accepted. Attacks whose entry says so are to be accepted: they do no harm.

Exit status: 0 every verdict is as expected, or unsteady; 1 some are not; 2 assay could not work, or
could not judge something.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "bench"))

import result_file
from harness import escapes, layout, operations
from harness.entries import Entry, folders, is_named, read
from harness.figures import Tally
from harness.layout import COULD_NOT_WORK, CouldNotWork
from harness.operations import OperationEntry
from harness.verdicts import complaint

TIMES_AGAIN = 3
VERIFIED = ("--until", "verify")
TIMED = ("--against", "eager", "--quick")


def judge(entries: list[Entry], assay: str, scratch: Path, how: tuple[str, ...]) -> dict[str, Any]:
    """Attempts by the entry's id, of a run for each number of threads that entries may have. Raises
    CouldNotWork."""
    attempts: dict[str, Any] = {}
    for threads in sorted({entry.threads for entry in entries}):
        folder, out = scratch / f"{threads}-threads", scratch / f"{threads}-threads-run"
        named = layout.lay_out(folder, [entry for entry in entries if entry.threads == threads])
        options = [*layout.arguments(folder), *how, "--threads", str(threads), "--timeout", "20s"]
        found = layout.by_name(layout.run(assay, options, out, silent=True))
        if found.keys() != named.keys():
            raise CouldNotWork(f"{out} has not the attempts that were asked for")
        attempts |= {named[name].id: attempt for name, attempt in found.items()}
    return attempts


def judge_operations(
    entries: list[OperationEntry], assay: str, scratch: Path, tally: Tally
) -> None:
    """Candidates for generated operations, in one run: an entry has an attempt for each of its
    operations. Raises CouldNotWork."""
    candidates = scratch / "operations"
    candidates.mkdir()
    owners = operations.lay_out(assay, entries, candidates)
    wanted = sorted({text for entry in entries for text in entry.operations})
    options = [*wanted, "--by", f"file:{candidates}"]
    found = set()
    for attempt in layout.run(assay, options, scratch / "operations-run", silent=True):
        key = attempt["workload"], attempt["candidate"]
        found.add(key)
        tally.add(owners[key], attempt, f"{owners[key].id} ({key[0]})")
    for workload, number in set(owners) - found:
        tally.miss("operations", f"{owners[workload, number].id} ({workload}): was not judged")


def is_steady(entry: Entry, assay: str, scratch: Path, how: tuple[str, ...]) -> bool:
    """Whether it is a miss under other seeds, too: each attempt has a secret one of its own. Raises
    CouldNotWork."""
    return any(
        complaint(entry, judge([entry], assay, scratch, how)[entry.id]) for _ in range(TIMES_AGAIN)
    )


def judge_all(
    entries: list[Entry],
    generated: list[OperationEntry],
    assay: str,
    scratch: Path,
    how: tuple[str, ...],
) -> Tally:
    """Raises CouldNotWork."""
    tally = Tally()
    attempts = judge(entries, assay, scratch, how)
    for entry in entries:
        wrong = complaint(entry, attempts[entry.id])
        if wrong and entry.kind == "honest" and not is_steady(entry, assay, scratch / "again", how):
            tally.add_unsteady(entry, wrong, TIMES_AGAIN + 1)
        else:
            tally.add(entry, attempts[entry.id], entry.id)
    if generated:
        judge_operations(generated, assay, scratch, tally)
    return tally


def write(tally: Tally, tests: Path) -> None:
    """Tries the escapes, and writes what all came to."""
    tried, escaped = escapes.figures(tests)
    for said in escaped:
        tally.miss("escapes", said)
    figures = {**tally.figures(), **tried}
    caught = dict(tally.caught)
    result_file.write("corpus", figures, caught_by=caught, misses=tally.misses)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the runs, and say where")
    arguments = parser.parse_args()
    if arguments.timed and arguments.write:
        parser.error("--write is of what was verified, without --timed")
    assay = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))

    names = arguments.names
    entries = [entry for entry in map(read, folders()) if is_named(entry.id, names)]
    generated = [entry for entry in operations.entries() if is_named(entry.id, names)]
    scratch = Path(tempfile.mkdtemp(prefix="assay-corpus-"))
    try:
        how = TIMED if arguments.timed else VERIFIED
        tally = judge_all(entries, generated, assay, scratch, how)
    except CouldNotWork as error:
        print(f"nothing is said of the corpora: {error}", file=sys.stderr)
        return COULD_NOT_WORK
    finally:
        if arguments.keep:
            print(f"the runs are in {scratch}")
        else:
            shutil.rmtree(scratch)
    print(*tally.lines(), sep="\n")
    if arguments.write:
        write(tally, Path(assay).parents[1] / "tests" / "assay_limit_tests")
    return 1 if tally.misses else 0


if __name__ == "__main__":
    sys.exit(main())
