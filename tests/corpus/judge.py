#!/usr/bin/env python3
"""Has assay judge the corpora, and says where its verdict is not the one expected.

    tests/corpus/judge.py               all of them
    tests/corpus/judge.py broken/ C1    entries with one of these in their names
    tests/corpus/judge.py --write       and tries all escapes from the jail; writes the figures to
                                        bench/results/corpus.json

$ASSAY names the binary (build/release/bin/assay). Exits 0 when every verdict is as expected. An
honest kernel that is refused is judged again, under other seeds: what one seed alone refuses
is said and counted. A wrong one must never be accepted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from harness import escapes, operations
from harness.entries import Entry, folders, read
from harness.operations import OperationEntry

REPOSITORY = Path(__file__).resolve().parents[2]
RESULT = REPOSITORY / "bench" / "results" / "corpus.json"
COULD_NOT_WORK = 2
TIMES_AGAIN = 3


def judge(entries: list[Entry], threads: int, assay: str, scratch: Path) -> dict[str, Any]:
    """One run over entries that may have so many threads. Returns attempts by the entry's id."""
    attempts: dict[str, Any] = {}
    for kind in sorted({entry.kind for entry in entries}):
        problems, candidates = scratch / kind, scratch / f"{kind}-candidates"
        for folder in (problems, candidates):
            folder.mkdir()
        chosen = {entry.name: entry for entry in entries if entry.kind == kind}
        for name, entry in chosen.items():
            shutil.copy(entry.problem, problems / f"{name}.py")
            shutil.copy(entry.candidate, candidates / f"{name}{entry.candidate.suffix}")
        out = scratch / f"{kind}-run"
        command = [assay, "run", str(problems), "--by", f"file:{candidates}", "--on", "local"]
        command += ["--until", "verify", "--threads", str(threads), "--timeout", "20s"]
        run = subprocess.run(
            [*command, "--quiet", "--out", str(out)], check=False, stdout=subprocess.DEVNULL
        )
        if run.returncode < 0 or not (out / "report.json").exists():
            sys.exit(f"{' '.join(command)} ended with {run.returncode}")
        for attempt in json.loads((out / "report.json").read_text())["attempts"]:
            attempts[f"{kind}/{attempt['workload']}"] = attempt
    return attempts


def judge_operations(
    entries: list[OperationEntry], assay: str, scratch: Path
) -> tuple[list[str], Counter[str], int]:
    """Candidates for generated operations, in one run: what is not as expected, what caught the

    broken ones, and how many attempts there were. An entry has an attempt for each of its
    operations.
    """
    candidates, out = scratch / "operations", scratch / "operations-run"
    candidates.mkdir()
    owners = operations.lay_out(assay, entries, candidates)
    wanted = sorted({text for entry in entries for text in entry.operations})
    command = [assay, "run", *wanted, "--by", f"file:{candidates}", "--on", "local"]
    command += ["--quiet", "--out", str(out)]
    run = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if run.returncode < 0 or not (out / "report.json").exists():
        sys.exit(f"{' '.join(command)} ended with {run.returncode}")
    misses, caught = [], Counter[str]()
    found = set()
    for attempt in json.loads((out / "report.json").read_text())["attempts"]:
        key = attempt["workload"], attempt["candidate"]
        entry = owners[key]
        found.add(key)
        if wrong := complaint(entry, attempt):
            misses.append(f"{entry.id} ({key[0]}): {wrong}")
            print(misses[-1])
        elif attempt["verdict"] != "accepted":
            caught[attempt["reason"]] += 1
    for workload, number in set(owners) - found:
        misses.append(f"{owners[workload, number].id} ({workload}): was not judged")
        print(misses[-1])
    return misses, caught, len(found)


def complaint(entry: Entry | OperationEntry, attempt: Any) -> str:
    """What is not as expected; empty: all is."""
    verdict, rule, failure = attempt["verdict"], attempt["reason"], attempt["class"]
    got = f"{verdict} ({rule or failure or ''}): {attempt['error']}"
    classes = entry.classes if isinstance(entry, Entry) else []
    if verdict == "failed" and failure in classes:
        return ""
    if verdict != entry.verdict:
        return f"expected {entry.verdict}, got {got}"
    if verdict == "rejected" and rule not in entry.rules:
        return f"expected one of {', '.join(entry.rules)}, got {got}"
    if verdict == "failed" and failure not in classes:
        return f"expected failed ({', '.join(classes)}), got {got}"
    verified = [stage for stage in attempt["stages"] if stage["stage"] == "verify"]
    evidence = (verified[-1]["evidence"] if verified else None) or {}
    if isinstance(entry, Entry) and entry.label and entry.label not in evidence["labels"]:
        return f"expected the label {entry.label}, got {evidence['labels']}"
    launches = evidence.get("launches", [])
    state = {launch.get("parameters") for launch in launches}
    if isinstance(entry, Entry) and entry.parameters and state != {entry.parameters}:
        return f"expected parameters {entry.parameters}, got {state}"
    return ""


def judge_all(entries: list[Entry], assay: str, scratch: Path) -> dict[str, Any]:
    """Attempts by the entry's id, of runs that each have their own number of threads."""
    attempts: dict[str, Any] = {}
    for threads in sorted({entry.threads for entry in entries}):
        folder = scratch / str(threads)
        folder.mkdir(parents=True)
        chosen = [entry for entry in entries if entry.threads == threads]
        attempts |= judge(chosen, threads, assay, folder)
    return attempts


def is_steady(entry: Entry, assay: str, scratch: Path) -> bool:
    """Whether it is a miss under other seeds, too: each attempt has a secret one of its own."""
    for time in range(TIMES_AGAIN):
        attempts = judge_all([entry], assay, scratch / f"{entry.kind}-{entry.name}-{time}")
        if complaint(entry, attempts[entry.id]):
            return True
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the runs, and say where")
    arguments = parser.parse_args()
    assay = os.environ.get("ASSAY", str(REPOSITORY / "build" / "release" / "bin" / "assay"))
    entries = [
        entry
        for entry in map(read, folders())
        if not arguments.names or any(name in entry.id for name in arguments.names)
    ]
    generated = [
        entry
        for entry in operations.entries()
        if not arguments.names or any(name in entry.id for name in arguments.names)
    ]
    misses: list[str] = []
    caught: Counter[str] = Counter()
    count: Counter[str] = Counter()
    judged = 0
    scratch = Path(tempfile.mkdtemp(prefix="assay-corpus-"))
    try:
        attempts = judge_all(entries, assay, scratch)
        if generated:
            misses, caught, judged = judge_operations(generated, assay, scratch)
        unsteady = [
            entry
            for entry in entries
            if entry.kind == "honest"
            and complaint(entry, attempts[entry.id])
            and not is_steady(entry, assay, scratch)
        ]
    finally:
        if arguments.keep:
            print(f"the runs are in {scratch}")
        else:
            shutil.rmtree(scratch)
    for entry in entries:
        count[entry.kind] += 1
        attempt = attempts[entry.id]
        if wrong := complaint(entry, attempt):
            if entry in unsteady:
                print(f"under one seed in {TIMES_AGAIN + 1}: {entry.id}: {wrong}")
                continue
            misses.append(f"{entry.id}: {wrong}")
            print(misses[-1])
        elif attempt["verdict"] != "accepted":
            caught[attempt["reason"] or attempt["class"]] += 1
    if generated:
        count["operations"] = judged
    words = {
        "attacks": "attacks accepted, or not seen for what they are",
        "honest": "honest rejected",
        "broken": "broken accepted",
        "operations": "products judged otherwise than they are",
    }
    for kind in sorted(count):
        missed = sum(miss.startswith(f"{kind}/") for miss in misses)
        print(f"{words[kind]}: {missed} of {count[kind]}")
    print(f"{len(entries) + judged - len(misses)} passed, {len(misses)} failed")
    if arguments.write:
        figures = {f"corpus_{kind}": count[kind] for kind in sorted(count)}
        for kind in sorted(count):
            missed = sum(miss.startswith(f"{kind}/") for miss in misses)
            figures[f"corpus_{kind}_as_expected"] = count[kind] - missed
        figures["corpus_unsteady"] = len(unsteady)
        tried, escaped = escapes.figures(Path(assay).parents[1] / "tests" / "assay_tests")
        print(", ".join(f"{number} {name}" for name, number in tried.items()), *escaped, sep="\n")
        figures |= tried
        misses += escaped
        result = {"figures": figures, "caught_by": dict(caught), "misses": misses}
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
