"""Has a few kernels timed against eager: who is fast, who is wrong, who cheats."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from harness.entries import ROOT, Entry, read
from harness.layout import arguments, by_name, ended, lay_out, run
from harness.verdicts import complaint

REPOSITORY = ROOT.parents[1]
RESULTS = REPOSITORY / "bench" / "results"
OUT = Path("runs") / "tour-speeds"
OPTIONS = ["--against", "eager", "--budget", "25s"]
UNDECIDED = "undecided"  # a busy machine may always come to that


def speed_up(timing: Any) -> str:
    if timing is None:
        return "not timed"
    (against,) = timing["speedups"]
    ratio, low, high = (f"{against[each]:#.3g}" for each in ("ratio", "low", "high"))
    return f"{ratio}x ({low} to {high})"


def fault(entry: Entry, wanted: str | None, attempt: Any) -> str:
    """What is not as expected; empty: all is. The direction alone is expected of a time."""
    if wrong := complaint(entry, attempt):
        return wrong
    outcome = attempt["outcome"]
    if outcome in (wanted, UNDECIDED) or attempt["timing"] is None and wanted is None:
        return ""
    return f"expected {wanted or 'no time'}, got {outcome}: {speed_up(attempt['timing'])}"


def windows(assay: str, attempt: Any) -> list[dict[str, str]]:
    """The windows that it was timed in, without those in which nothing is called."""
    command = [assay, "show", str(OUT), attempt["id"], "--windows"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names, *rows = [line.split() for line in text.splitlines()]
    each = (dict(zip(names, row, strict=False)) for row in rows)  # what is null has no inputs
    return [window for window in each if window["USE"] != "null"]


def figures(name: str) -> dict[str, float]:
    """What a bench measured, as it was committed; nothing: it was not run as a whole yet."""
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text())["figures"]) if path.exists() else {}


def why_believe(assay: str, timed: list[Any]) -> list[str]:
    count = calls = launches = 0
    for attempt in timed:
        rows = windows(assay, attempt)
        count += len(rows)
        calls += sum(int(row["CALLS"]) for row in rows)
        launches += len({row["LAUNCH"] for row in rows})
    corpus, study = figures("corpus"), figures("timing")
    lines = [
        "Why believe it?",
        f"- {count} windows in {launches} launches of new processes: kernel and eager have a jail "
        "each, and stand still before and after each window.",
        "- The clock is the judge's, the order is drawn, and inputs are the same for both; neither "
        "has seen them before.",
        f"- All {calls} results in these windows were held against what is right. Intervals are "
        "over launches.",
    ]
    if corpus:
        lines.append(
            f"- Of {corpus['corpus_attacks']:.0f} attacks in tests/corpus "
            f"{corpus['corpus_attacks_as_expected']:.0f} ended as they must."
        )
    if "timing_attacks" in study:  # a study may be made in parts
        lines.append(
            f"- Of {study['timing_attacks']:.0f} tries of attacks on the clock "
            f"{study['timing_attacks_faster']:.0f} came out as faster."
        )
    if "timing_native_1ms_same" in study:
        lines.append(
            f"- Of {study['timing_native_1ms_same']:.0f} comparisons of a kernel with itself "
            f"{study['timing_native_1ms_same_counted']:.0f} came out as faster or slower."
        )
    if timed:
        lines.append(f"Each window: assay show {OUT} {timed[0]['id']} --windows")
    return lines


def time_some(assay: str, scratch: Path, plan: dict[str, str | None]) -> list[str]:
    """`plan` names entries, each with the outcome that it must have, or none where it is not to be
    accepted. Prints a table; returns what is not as expected. Raises CouldNotWork."""
    entries = {name: read(ROOT / name) for name in plan}
    named = lay_out(scratch, list(entries.values()), share=True)
    print()
    attempts = by_name(run(assay, [*arguments(scratch), *OPTIONS], OUT))
    print()
    faults = [f"{name}: no such attempt" for name in sorted(named.keys() - attempts.keys())]
    for name, attempt in attempts.items():
        entry = named[name]
        is_timed = attempt["timing"] is not None
        outcome = f"{attempt['outcome']}" if is_timed else ended(attempt)
        if is_timed and attempt["reason"]:
            outcome += f" ({attempt['reason']})"
        speed = speed_up(attempt["timing"])
        print(f"{name + entry.candidate.suffix:<22} {outcome:<22} {speed:<26} {entry.why}")
        if wrong := fault(entry, plan[entry.id], attempt):
            faults.append(f"{name}: {wrong}")
    print()
    print(*why_believe(assay, [each for each in attempts.values() if each["timing"]]), sep="\n")
    return faults
