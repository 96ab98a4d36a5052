"""What judging the corpora came to: in words, and as the figures that docs/evidence.md shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from harness.entries import Entry
from harness.operations import OperationEntry
from harness.verdicts import complaint

# By kind: what one is that was not judged as it must be.
MISSED = {
    "attacks": "attacks accepted, or not seen for what they are",
    "broken": "broken accepted",
    "honest": "honest rejected",
    "operations": "products judged otherwise than they are",
}


@dataclass
class Tally:
    """Counts by kind are of verdicts: an entry for operations has one for each of them."""

    judged: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)  # by rule, or class of failure
    harmless: int = 0  # attacks that are accepted, and are to be
    unsteady: int = 0  # honest ones that one seed refused and others did not
    misses: list[str] = field(default_factory=list)

    def add(self, entry: Entry | OperationEntry, attempt: Any, name: str) -> None:
        kind = entry.id.partition("/")[0]
        self.judged[kind] += 1
        if wrong := complaint(entry, attempt):
            self.miss(kind, f"{name}: {wrong}")
        elif attempt["verdict"] != "accepted":
            self.caught[attempt["reason"] or attempt["class"]] += 1
        elif kind == "attacks":
            self.harmless += 1

    def add_unsteady(self, entry: Entry, wrong: str, seeds: int) -> None:
        self.judged[entry.kind] += 1
        self.unsteady += 1
        print(f"under one seed of {seeds}: {entry.id}: {wrong}")

    def miss(self, kind: str, said: str) -> None:
        self.missed[kind] += 1
        self.misses.append(said)
        print(f"FAIL {said}")

    def as_expected(self, kind: str) -> int:
        unsteady = self.unsteady if kind == "honest" else 0
        return self.judged[kind] - self.missed[kind] - unsteady

    def lines(self) -> list[str]:
        lines = []
        for kind in sorted(self.judged):
            of_all = f"of {self.judged[kind]}"
            lines.append(f"{MISSED[kind]}: {self.missed[kind]} {of_all}")
            if kind == "attacks":
                lines.append(f"attacks accepted as harmless: {self.harmless} {of_all}")
            if kind == "honest":
                said = "honest rejected under one seed, and not under others"
                lines.append(f"{said}: {self.unsteady} {of_all}")
        passed = sum(map(self.as_expected, self.judged))
        lines.append(f"{passed} passed, {len(self.misses)} failed, {self.unsteady} unsteady")
        return lines

    def figures(self) -> dict[str, float]:
        kinds = sorted(self.judged)
        return {
            **{f"corpus_{kind}": self.judged[kind] for kind in kinds},
            **{f"corpus_{kind}_as_expected": self.as_expected(kind) for kind in kinds},
            **{f"corpus_{kind}_missed": self.missed[kind] for kind in kinds},
            "corpus_attacks_harmless": self.harmless,
            "corpus_unsteady": self.unsteady,
        }
