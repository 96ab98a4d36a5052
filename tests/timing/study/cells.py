"""A cell is one question to the judge of speed: ../cells.toml has them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from harness.binomial import lower_bound, upper_bound

from study.journal import Comparison
from study.kinds import ROOT, Kind, read_kind
from study.toml import read_toml

# Of one run of assay, which shares a baseline: what an interruption may lose is a minute or two.
ROUND_SECONDS = 80
WEAKENED = ("clocks", "interference")


@dataclass
class Cell:
    name: str
    kind: Kind
    comparisons: int
    percent: int = 0
    most: float | None = None  # rate of false differences
    least: float | None = None  # rate of those that are found
    disturbance: str = ""

    @property
    def key(self) -> str:
        """Of the cell's name in figures, which documents quote."""
        return self.name.replace("-", "_")

    def wanted(self, share: float) -> int:
        """Comparisons of such a share of the study; one at least."""
        return max(1, math.ceil(self.comparisons * share))

    @property
    def per_round(self) -> int:
        return max(2, round(ROUND_SECONDS / self.kind.seconds))

    def expected(self, number: int) -> str:
        """What is right in a round; the candidate has more work in those with even numbers."""
        if self.percent == 0:
            return "undecided" if self.least is not None else "equal"
        return "faster" if number % 2 else "slower"

    def is_hit(self, comparison: Comparison) -> bool:
        """What the cell counts: a false difference, or one that was found."""
        if self.least is None:
            return comparison.outcome in ("faster", "slower")
        if self.percent == 0:
            return comparison.outcome == "undecided" and comparison.reason in WEAKENED
        return comparison.outcome == comparison.expected


@dataclass
class Tally:
    """What a cell's comparisons come to."""

    cell: Cell
    tries: int
    hits: int
    equal: int
    wrong_way: int  # of true differences, found on the other side; of one-sided stalls, on any
    not_timed: int

    @property
    def rate(self) -> float | None:
        return self.hits / self.tries if self.tries else None

    def bound(self, confidence: float) -> float:
        """One-sided, on the side that speaks against the judge."""
        bound = upper_bound if self.cell.least is None else lower_bound
        return bound(self.hits, self.tries, confidence)

    @property
    def holds(self) -> bool:
        if self.not_timed or self.wrong_way:
            return False
        if self.rate is None:
            return True
        if self.cell.least is not None:
            return self.rate >= self.cell.least
        return self.cell.most is None or self.rate <= self.cell.most


def tally(cell: Cell, comparisons: Iterable[Comparison]) -> Tally:
    of_cell = list(comparisons)
    found = [each for each in of_cell if each.outcome in ("faster", "slower")]
    wrong = 0 if cell.least is None else sum(each.outcome != each.expected for each in found)
    return Tally(
        cell,
        tries=len(of_cell),
        hits=sum(map(cell.is_hit, of_cell)),
        equal=sum(each.outcome == "equal" for each in of_cell),
        wrong_way=wrong,
        not_timed=sum(each.outcome == "" for each in of_cell),
    )


def read_cells() -> list[Cell]:
    kinds: dict[str, Kind] = {}
    cells = []
    for name, table in read_toml(ROOT / "cells.toml").items():
        kind = kinds.setdefault(table["kind"], read_kind(table["kind"]))
        cells.append(Cell(name, **{**table, "kind": kind}))
    return cells
