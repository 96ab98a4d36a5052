#!/usr/bin/env python3
"""Has assay judge several authors on a dozen problems: eager, IREE, and kernels of these corpora.

tour.json names the kernels: honest, broken and hostile ones, in Python, C and C++. What each must
end as is what its expect.toml says; eager must be accepted, and so must what IREE makes, but for
what stands in tour.json with its cause. $ASSAY names the binary.
Exits 0 when all are as expected, 2 when assay could not work.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness.entries import ROOT, Entry, read
from judge import complaint

REPOSITORY = ROOT.parents[1]
SCRATCH = REPOSITORY / "build" / "tour"  # problems, and a folder of candidates per author
OUT = Path("runs") / "tour-verdicts"
AUTHORS_HERE = ("eager", "iree")
COULD_NOT_WORK = 2


def lay_out(chosen: dict[str, list[Entry]]) -> dict[str, Entry]:
    """Files as `assay run` wants them. Returns entries by the name of their attempt: the problem
    and its author, with a number from the author's second candidate on."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    problems = SCRATCH / "problems"
    problems.mkdir(parents=True)
    named = {}
    for kind, entries in chosen.items():
        (SCRATCH / kind).mkdir()
        numbers: dict[str, int] = defaultdict(int)
        for entry in entries:
            problem = entry.problem.stem
            shutil.copy(entry.problem, problems)
            numbers[problem] += 1
            number = f"__s{numbers[problem]}" if numbers[problem] > 1 else ""
            shutil.copy(
                entry.candidate, SCRATCH / kind / f"{problem}{number}{entry.candidate.suffix}"
            )
            named[f"{problem}/{kind}{number}"] = entry
    return named


def run(assay: str, authors: list[str]) -> Any:
    """The report's attempts, or None when there is no report."""
    folder = SCRATCH.relative_to(REPOSITORY)
    by = [*AUTHORS_HERE, *(f"file:{folder / author}" for author in authors)]
    command = [assay, "run", str(folder / "problems"), "--by", ",".join(by), "--on", "local"]
    command += ["--until", "verify", "--quiet", "--out", str(OUT)]
    report = OUT / "report.json"
    shutil.rmtree(OUT, ignore_errors=True)  # what stands there afterwards is of now
    print("$", *command, flush=True)
    status = subprocess.run(command, check=False).returncode
    if status < 0 or status >= COULD_NOT_WORK or not report.exists():
        print(f"assay ended with {status}")
        return None
    return json.loads(report.read_text())["attempts"]


def ended(attempt: Any) -> str:
    why = attempt["reason"] or attempt["class"]
    return f"{attempt['verdict']} ({why})" if why else str(attempt["verdict"])


def main() -> int:
    os.chdir(REPOSITORY)
    assay = os.environ.get("ASSAY", ".venv/bin/assay")
    plan = json.loads((ROOT / "tour.json").read_text())
    chosen = {
        kind: [read(ROOT / kind / name) for name in names]
        for kind, names in plan["kernels"].items()
    }
    named = lay_out(chosen)
    attempts = run(assay, list(chosen))
    if attempts is None:
        return COULD_NOT_WORK
    seen, faults = set(), []
    print()
    for attempt in attempts:
        _, _, _, name = attempt["id"].split("/", 3)  # suite, level, target
        entry = named.get(name)
        if entry:
            seen.add(name)
            wrong = complaint(entry, attempt)
            print(f"{name + entry.candidate.suffix:<22} {ended(attempt):<28} {entry.why}")
        else:
            known = plan["iree"].get(name, {"verdict": "accepted", "cause": ""})
            as_known = ended(attempt) == known["verdict"]
            wrong = "" if as_known else f"expected {known['verdict']}, got {attempt['error']}"
            print(f"{name:<22} {ended(attempt):<28} {known['cause']}".rstrip())
        faults += [f"{name}: {wrong}"] if wrong else []
    faults += [f"{name}: no such attempt" for name in sorted(named.keys() - seen)]
    print(*faults, sep="\n", end="\n" if faults else "")
    good = sum(attempt["verdict"] == "accepted" for attempt in attempts)
    print(
        f"{len(attempts)} kernels for {len({entry.problem for entry in named.values()})} problems: "
        f"{good} accepted, {len(attempts) - good} not; "
        + (f"{len(faults)} are NOT as expected" if faults else "all are as expected")
        + f"; the report is {OUT}/report.md"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
