#!/usr/bin/env python3
"""Has assay judge several authors on a dozen problems: eager, IREE, and kernels of these corpora;
and time a few of them against eager.

tour.json names the kernels: honest, broken and hostile ones, in Python, C and C++. What each must
end as is what its expect.toml says; eager must be accepted, and so must what IREE makes, but for
what stands in tour.json with its cause. Of those that are timed it has the outcome, which
may also be undecided. $ASSAY names the binary.
Exits 0 when all are as expected, 2 when assay could not work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.entries import ROOT, read
from harness.layout import (
    COULD_NOT_WORK,
    CouldNotWork,
    arguments,
    by_name,
    ended,
    lay_out,
    run,
)
from harness.verdicts import complaint
from tour_speeds import OUT as SPEEDS
from tour_speeds import time_some

REPOSITORY = ROOT.parents[1]
SCRATCH = Path("build") / "tour"  # problems, and a folder of candidates per author
OUT = Path("runs") / "tour-verdicts"
AUTHORS_HERE = ("eager", "iree")


def verdicts(assay: str, plan: Any) -> list[str]:
    """Prints them; returns what is not as expected. Raises CouldNotWork."""
    entries = [
        read(ROOT / kind / name) for kind, names in plan["kernels"].items() for name in names
    ]
    named = lay_out(SCRATCH / "verdicts", entries, share=True)
    options = [*arguments(SCRATCH / "verdicts", AUTHORS_HERE), "--until", "verify"]
    attempts = by_name(run(assay, options, OUT))
    faults = []
    print()
    for name, attempt in attempts.items():
        entry = named.get(name)
        if entry:
            wrong = complaint(entry, attempt)
            print(f"{name + entry.candidate.suffix:<22} {ended(attempt):<28} {entry.why}")
        else:
            known = plan["iree"].get(name, {"verdict": "accepted", "cause": ""})
            as_known = ended(attempt) == known["verdict"]
            wrong = "" if as_known else f"expected {known['verdict']}, got {attempt['error']}"
            print(f"{name:<22} {ended(attempt):<28} {known['cause']}".rstrip())
        faults += [f"{name}: {wrong}"] if wrong else []
    faults += [f"{name}: no such attempt" for name in sorted(named.keys() - attempts.keys())]
    good = sum(attempt["verdict"] == "accepted" for attempt in attempts.values())
    print(
        f"{len(attempts)} kernels for {len({entry.problem for entry in named.values()})} problems: "
        f"{good} accepted, {len(attempts) - good} not; the report is {OUT}/report.md"
    )
    return faults


def main() -> int:
    os.chdir(REPOSITORY)
    assay = os.environ.get("ASSAY", ".venv/bin/assay")
    plan = json.loads((ROOT / "tour.json").read_text())
    try:
        faults = verdicts(assay, plan) + time_some(assay, SCRATCH / "speeds", plan["timed"])
    except CouldNotWork as error:
        print(error)
        return COULD_NOT_WORK
    print(*faults, sep="\n", end="\n" if faults else "")
    print("verdicts and speeds are " + ("NOT as expected" if faults else "as expected"))
    for run_folder in (OUT, SPEEDS):
        page = f"{run_folder}.html"
        subprocess.run([assay, "report", run_folder, "--format", "html", "--to", page], check=True)
        print(f"look at them in a browser: {page}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
