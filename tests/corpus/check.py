"""Checks the corpora themselves, without assay: is the broken broken, the honest honest, and does
every attack deceive the naive judge?

    tests/corpus/check.py                    all
    tests/corpus/check.py broken/ C1         entries whose names have one of these in them
    tests/corpus/check.py --table broken/    and say by which rule each family rejects it
    tests/corpus/check.py --write            write the tables of the README

Ends with 1 when anything is not as its expect.toml says; one line says what.
"""

from __future__ import annotations

import os

# Before numpy starts a pool: a process with threads can't be forked.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "4"
os.environ["OMP_WAIT_POLICY"] = "passive"

import argparse
import functools
import multiprocessing
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [
    str(Path(__file__).resolve().parent),
    str(Path(__file__).resolve().parents[1] / "naive_judge"),
]

import torch
from harness.compare import REDUCED
from harness.controls import naive_says
from harness.entries import ROOT, BadEntry, Entry, folders, is_named, read
from harness.listing import README, updated
from harness.problems import prepare
from harness.process import Outcome, outcomes, poison_heap
from native_build import compile_command

SEED = 20_417  # of nobody's acquaintance: not 42, not 0
PROCESSES = 2  # at once
CCACHE = Path("/usr/lib/ccache")
FORKING = multiprocessing.get_context("fork")  # torch is imported once


def compile_all(entries: list[Entry], folder: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """Libraries, and the complaints of the compiler, by entry."""
    native = [entry for entry in entries if entry.native]
    libraries = {entry.id: folder / f"{entry.kind}-{entry.name}.so" for entry in native}

    def one(entry: Entry) -> str:
        command = compile_command(entry.candidate, libraries[entry.id])
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr.strip() if done.returncode else ""

    with ThreadPoolExecutor(PROCESSES) as pool:
        complaints = dict(zip((e.id for e in native), pool.map(one, native), strict=True))
    return libraries, {name: text for name, text in complaints.items() if text}


def build_extensions(entries: list[Entry], folder: Path) -> dict[str, str]:
    """Loads what has a C++ extension once, which builds it; complaints by entry.

    All who load it afterwards, the naive judge too, find it where torch looks.
    """
    os.environ["TORCH_EXTENSIONS_DIR"] = str(folder)
    # Where ccache is, under the compilers' names: what it compiled before, in another folder too.
    if CCACHE.is_dir():
        os.environ["PATH"] = f"{CCACHE}:{os.environ['PATH']}"
        os.environ["CCACHE_BASEDIR"] = str(folder)
    having = [entry for entry in entries if entry.has_extension]

    def one(entry: Entry) -> str:
        command = [sys.executable, str(entry.candidate)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr.strip() if done.returncode else ""

    with ThreadPoolExecutor(PROCESSES) as pool:
        complaints = dict(zip((e.id for e in having), pool.map(one, having), strict=True))
    return {name: text for name, text in complaints.items() if text}


def miss(entry: Entry, found: list[Outcome], parameters: str) -> str:
    """In what an entry is not as it says, or ""."""
    if entry.parameters and parameters != entry.parameters:
        return f"parameters are {parameters!r}, not {entry.parameters!r}"
    failures = [o for o in found if o.failed]
    hits = [o for o in found if o.rule]
    for outcome in failures:
        if outcome.failed not in entry.classes:
            return f"{outcome.failed} in {outcome.family}: {outcome.detail}"
    if entry.verdict == "accepted":
        soft = ("precision", "wrong", "non-finite")
        hits = [o for o in hits if o.family not in entry.hard or o.rule not in soft]
        worst = max((o for o in found if o.family not in entry.hard), key=lambda o: o.ratio)
        if hits:
            return f"{hits[0].rule} in {hits[0].family}, error ratio {hits[0].ratio:.3g}"
        if worst.ratio > REDUCED and entry.accuracy != "reduced":
            return f"error ratio {worst.ratio:.3g} in {worst.family}: accuracy is reduced"
        return ""
    if entry.verdict == "failed":
        return "" if failures else "does not fail"
    if not hits and not failures:
        return f"agrees everywhere: error ratio at most {max(o.ratio for o in found):.3g}"
    for outcome in hits:
        if outcome.rule not in entry.rules:
            return f"is {outcome.rule} in {outcome.family}; expected {' or '.join(entry.rules)}"
    if not failures:
        missed = set(entry.reveals) - {o.family for o in hits}
        if missed:
            return f"is not revealed by {', '.join(sorted(missed))}"
    return ""


def look_at(
    entries: list[Entry], libraries: dict[str, Path], seed: int
) -> list[tuple[Entry, list[Outcome], str]]:
    """What became of entries of one problem, whose inputs and results they share."""
    prepared = prepare(entries[0].problem, seed)
    return [(entry, *outcomes(entry, prepared, libraries.get(entry.id))) for entry in entries]


def table_row(found: list[Outcome], parameters: str) -> str:
    words = [f"{o.family}:{o.rule or o.failed or '-'}({o.ratio:.2g})" for o in found]
    return "    " + " ".join(words) + (f" parameters {parameters}" if parameters else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names")
    parser.add_argument("--table", action="store_true", help="say what each family reveals")
    parser.add_argument("--seed", type=int, default=SEED, help="what inputs and weights come from")
    parser.add_argument("--write", action="store_true", help="write the tables of the README")
    arguments = parser.parse_args()
    started = time.monotonic()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)

    misses: dict[str, str] = {}
    entries: list[Entry] = []
    for folder in folders():
        name = f"{folder.parent.name}/{folder.name}"
        if not is_named(name, arguments.names):
            continue
        try:
            entries.append(read(folder))
        except BadEntry as error:
            misses[name] = str(error)

    if arguments.write:
        README.write_text(updated([read(folder) for folder in folders()]))
        return 0

    with tempfile.TemporaryDirectory() as name:
        libraries, complaints = compile_all(entries, Path(name))
        misses.update(complaints)
        misses.update(build_extensions(entries, Path(name) / "extensions"))
        # Before anything is prepared: attacks look through the memory of the process.
        attacks = [entry for entry in entries if entry.kind == "attacks"]
        with FORKING.Pool(PROCESSES) as pool:
            said_of = zip(attacks, pool.map(naive_says, attacks, chunksize=1), strict=True)
            misses.update({entry.id: said for entry, said in said_of if said})
        poison_heap()
        groups: dict[Path, list[Entry]] = {}
        for entry in entries:
            if entry.id not in misses:
                groups.setdefault(entry.problem, []).append(entry)
        look = functools.partial(look_at, libraries=libraries, seed=arguments.seed)
        with FORKING.Pool(PROCESSES) as pool:
            for looked in pool.imap(look, groups.values()):
                for entry, found, parameters in looked:
                    if said := miss(entry, found, parameters):
                        misses[entry.id] = said
                    if arguments.table:
                        print(entry.id, entry.rules or entry.verdict)
                        print(table_row(found, parameters))
    unused = {p for p in (ROOT / "problems").glob("*.py")} - {e.problem for e in entries}
    if not arguments.names:
        misses.update({f"problems/{p.stem}": "no entry names it" for p in unused})
        if README.read_text() != updated(entries):
            misses["README.md"] = "its tables are not up to date: check.py --write"
    for name in sorted(misses):
        print(f"MISS {name}: {misses[name]}")
    counts = ", ".join(
        f"{sum(e.kind == kind for e in entries)} {kind}" for kind in ("broken", "honest", "attacks")
    )
    seconds = time.monotonic() - started
    print(f"{counts}; {len(misses)} not as expected; {seconds:.0f} s")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
