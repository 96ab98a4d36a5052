"""Reads the corpora: a folder is an entry, its expect.toml says what must become of it."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Part of Python since 3.11.
tomllib: Any = importlib.import_module(
    "tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli"
)

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("broken", "honest", "attacks")
VERDICTS = ("accepted", "rejected", "failed")
RULES = (
    "shape",
    "dtype",
    "aliased",
    "unwritten",
    "out-of-bounds",
    "input-changed",
    "non-finite",
    "wrong",
    "precision",
    "nondeterministic",
    "input-independent",
)
CLASSES = ("load", "setup", "exception", "crash", "timeout", "declined", "protocol")
FAMILIES = (
    "own",
    "again",
    "interior",
    "touched",
    "zeros",
    "constants",
    "moderate",
    "large",
    "offset",
    "denormal",
    "spike",
    "nonfinite",
    "ties",
    "integers",
    "parameters",
)
LABELS = ("library", "fallback")
# Of ../naive_judge/naive.py.
HABITS = ("adaptive", "largest", "printed", "report", "saved", "several", "sizes")
# Of each field: its type, and the kinds of entry that may have it.
FIELDS: dict[str, tuple[type, tuple[str, ...]]] = {
    "verdict": (str, KINDS),
    "rule": (list, ("broken", "attacks")),
    "class": (list, ("broken", "attacks")),
    "why": (str, KINDS),
    "problem": (str, KINDS),
    "reveals": (list, ("broken", "attacks")),
    "threads": (int, KINDS),
    "accuracy": (str, ("honest",)),
    "hard": (list, ("honest",)),
    "parameters": (str, KINDS),
    "label": (str, KINDS),
    "lint": (bool, ("broken", "attacks")),
    "exploit": (str, ("attacks",)),
    "naive": (str, ("attacks",)),
    "habits": (list, ("attacks",)),
    "speedup": (float, ("attacks",)),
    "faster": (bool, ("attacks",)),
}


class BadEntry(Exception):
    """What is wrong with a folder, in one line."""


@dataclass
class Entry:
    kind: str
    name: str
    folder: Path
    verdict: str
    why: str
    problem: Path
    candidate: Path
    rules: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    reveals: list[str] = field(default_factory=list)
    threads: int = 1
    accuracy: str = ""
    hard: list[str] = field(default_factory=list)
    parameters: str = ""
    label: str = ""
    exploit: str = ""
    habits: list[str] = field(default_factory=list)
    speedup: float = 0.0
    faster: bool = False

    @property
    def id(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def native(self) -> bool:
        return self.candidate.suffix != ".py"

    @property
    def has_extension(self) -> bool:
        return not self.native and "cpp_extension" in self.candidate.read_text()


def known(words: list[Any], allowed: tuple[str, ...], what: str) -> list[str]:
    for word in words:
        if word not in allowed:
            raise BadEntry(f"{what} = {word!r}: known are {', '.join(allowed)}")
    return [str(word) for word in words]


def as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def is_named(name: str, parts: list[str]) -> bool:
    """As a command line names entries: by parts of their names; by none, all."""
    return not parts or any(part in name for part in parts)


def read(folder: Path) -> Entry:
    """Raises BadEntry."""
    kind = folder.parent.name
    try:
        table = tomllib.loads((folder / "expect.toml").read_text())
    except (OSError, ValueError) as error:
        raise BadEntry(f"expect.toml: {error}") from None
    for key in ("rule", "class", "reveals", "hard", "habits"):
        if key in table:
            table[key] = as_list(table[key])
    for key, value in table.items():
        if key not in FIELDS:
            raise BadEntry(f"expect.toml has the field {key!r}: known are {', '.join(FIELDS)}")
        of_type, kinds = FIELDS[key]
        if kind not in kinds or not isinstance(value, of_type):
            raise BadEntry(f"expect.toml: {key} = {value!r} is not a thing of {kind}")
    if table.get("verdict") not in VERDICTS:
        raise BadEntry(f"verdict must be one of {', '.join(VERDICTS)}")
    if not table.get("why"):
        raise BadEntry("`why` is missing: one sentence")

    candidates = [p for p in sorted(folder.iterdir()) if p.stem in ("candidate", "attack")]
    if len(candidates) != 1 or (candidates[0].stem == "attack") != (kind == "attacks"):
        raise BadEntry("needs one candidate.py, .c or .cc (attack.* in attacks/)")
    named = table.get("problem")
    problem = ROOT / "problems" / f"{named}.py" if named else folder / "problem.py"
    if not problem.is_file() or (named and (folder / "problem.py").exists()):
        raise BadEntry(f"{problem} is missing, or the folder has a problem.py and names another")

    entry = Entry(
        kind=kind,
        name=folder.name,
        folder=folder,
        verdict=table["verdict"],
        why=table["why"],
        problem=problem,
        candidate=candidates[0],
        rules=known(table.get("rule", []), RULES, "rule"),
        classes=known(table.get("class", []), CLASSES, "class"),
        reveals=known(table.get("reveals", []), FAMILIES, "reveals"),
        threads=table.get("threads", 1),
        accuracy=table.get("accuracy", ""),
        hard=known(table.get("hard", []), FAMILIES, "hard"),
        parameters=table.get("parameters", ""),
        label=table.get("label", ""),
        exploit=table.get("exploit", ""),
        habits=known(table.get("habits", []), HABITS, "habits"),
        speedup=table.get("speedup", 0.0),
        faster=table.get("faster", False),
    )
    check_sense(entry, table)
    return entry


def check_sense(entry: Entry, table: dict[str, Any]) -> None:
    if entry.verdict == "rejected" and not entry.rules:
        raise BadEntry("rejected by which `rule`?")
    if entry.verdict == "failed" and (entry.rules or not entry.classes):
        raise BadEntry("a failure has a `class` and no `rule`")
    if entry.verdict == "accepted" and (entry.rules or entry.classes or entry.reveals):
        raise BadEntry("what is accepted breaks no rule")
    if (entry.kind == "honest") != (entry.verdict == "accepted") and entry.kind != "attacks":
        raise BadEntry(f"{entry.verdict!r} does not belong in {entry.kind}/")
    if entry.kind == "attacks" and (
        not entry.exploit or table.get("naive") != "accepted" or entry.candidate.stem != "attack"
    ):
        raise BadEntry('an attack has `exploit` and `naive = "accepted"`')
    if entry.kind == "broken" and entry.rules and not entry.reveals:
        raise BadEntry("`reveals` is missing: the input families that show it")
    if entry.accuracy not in ("", "reduced"):
        raise BadEntry('accuracy can be "reduced" and nothing else')
    if entry.parameters not in ("", "copied", "by seed"):
        raise BadEntry('parameters are "copied" or "by seed"')
    if entry.label and entry.label not in LABELS:
        raise BadEntry(f"label must be one of {', '.join(LABELS)}")


def folders() -> list[Path]:
    return [p for kind in KINDS for p in sorted((ROOT / kind).iterdir()) if p.is_dir()]
