"""The tables at the end of the README, made from the entries."""

from __future__ import annotations

from harness.entries import KINDS, ROOT, Entry

README = ROOT / "README.md"
MARK = "<!-- Written by check.py --write. -->\n"
TITLES = {
    "broken": "Broken: each must be caught",
    "honest": "Honest: each must be accepted",
    "attacks": "Attacks: each deceives the naive judge",
}


def caught_by(entry: Entry) -> str:
    """The last column but one: which rules, classes or labels an entry is to end with."""
    if entry.kind == "honest":
        notes = [f"accuracy may be {entry.accuracy}"] if entry.accuracy else []
        notes += [f"hard: {', '.join(entry.hard)}"] if entry.hard else []
        notes += [f"parameters {entry.parameters}"] if entry.parameters else []
        return "; ".join(notes)
    if entry.verdict == "accepted":
        return f"accepted, to be labelled {entry.label}" if entry.label else "accepted"
    ends = [*entry.rules, *(f"failed: {name}" for name in entry.classes)]
    shown = f"; seen by {', '.join(entry.reveals)}" if entry.reveals else ""
    return " / ".join(ends) + shown


def tables(entries: list[Entry]) -> str:
    text = MARK
    for kind in KINDS:
        rows = [entry for entry in entries if entry.kind == kind]
        text += f"\n### {TITLES[kind]} ({len(rows)})\n\n| entry | problem | ends as | why |\n"
        text += "|---|---|---|---|\n"
        for entry in rows:
            own = entry.problem.parent == entry.folder
            problem = "its own" if own else entry.problem.stem
            text += f"| {entry.name} | {problem} | {caught_by(entry)} | {entry.why} |\n"
    return text


def updated(entries: list[Entry]) -> str:
    """What the README should be."""
    return README.read_text().partition(MARK)[0] + tables(entries)
