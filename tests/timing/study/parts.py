"""The parts of a study, one after the other: what each has left to do, and doing it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.entries import Entry

from study import attacks
from study.cells import Cell
from study.journal import Comparison, Journal
from study.others import START_SECONDS, TOOLS, Tools
from study.results import DIFFERENT, SAME, other_rows
from study.rounds import hold_round

# Of other tools: the same pairs that assay is given.
OTHER_PAIRS = {SAME: 100, DIFFERENT: 40}


@dataclass
class Study:
    assay: str
    place: Path
    journal: Journal
    cells: list[Cell]
    seed: int
    share: float
    few: bool = False  # that the machinery works, by the quickest way

    def folder(self, name: str) -> Path:
        return self.place / "rounds" / name

    def seconds(self, cell: Cell) -> float:
        """Of one comparison: as measured, else as the kind says."""
        rows = self.journal.comparisons(cell.name, cell.kind.fingerprint)
        return statistics.fmean(each.seconds for each in rows) if rows else cell.kind.seconds


class Part:
    """What is done in steps of a minute or two; after each, the journal has it."""

    name: str

    def __init__(self, study: Study) -> None:
        self.study = study

    def done(self) -> int:
        raise NotImplementedError

    def wanted(self) -> int:
        raise NotImplementedError

    def seconds(self) -> float:
        """Of one."""
        raise NotImplementedError

    def step(self) -> str:
        """Does some of what is left; says in a line what came of it. Raises CouldNotWork."""
        raise NotImplementedError

    def left_s(self) -> float:
        return max(0, self.wanted() - self.done()) * self.seconds()

    def steps(self) -> Iterator[str]:
        while self.done() < self.wanted():
            yield self.step()


class CellPart(Part):
    def __init__(self, study: Study, cell: Cell) -> None:
        super().__init__(study)
        self.cell = cell
        self.name = cell.name

    def comparisons(self) -> list[Comparison]:
        return self.study.journal.comparisons(self.name, self.cell.kind.fingerprint)

    def done(self) -> int:
        return len(self.comparisons())

    def wanted(self) -> int:
        return 2 if self.study.few else self.cell.wanted(self.study.share)

    def seconds(self) -> float:
        return self.study.seconds(self.cell)

    def step(self) -> str:
        number = 1 + max((each.round for each in self.comparisons()), default=-1)
        count = min(self.cell.per_round, self.wanted() - self.done())
        study = self.study
        folder = study.folder(f"{self.name}-{number}")
        found = hold_round(
            study.assay, folder, self.cell, number, count, study.seed, quick=study.few
        )
        study.journal.add_comparisons(found)
        return ", ".join(
            f"{each.outcome or 'not timed'}{f' ({each.reason})' if each.reason else ''}"
            + (f" {each.ratio:.3f}" if each.ratio else "")
            for each in found
        )


class AttacksPart(Part):
    name = "attacks"

    def __init__(self, study: Study, entries: list[Entry]) -> None:
        super().__init__(study)
        self.entries = entries
        if study.few:  # what is rejected is so by its results: no clock decides that
            self.entries = [entry for entry in entries if entry.verdict == "rejected"][:2]

    def times(self) -> int:
        return 1 if self.study.few else max(1, math.ceil(self.study.share * attacks.TIMES))

    def left(self) -> list[tuple[int, Entry]]:
        done = {(r["name"], r["time"], r["made_of"]) for r in self.study.journal.of("attack")}
        return [
            (time, entry)
            for time in range(self.times())
            for entry in self.entries
            if (entry.name, time, attacks.fingerprint(entry)) not in done
        ]

    def wanted(self) -> int:
        return self.times() * len(self.entries)

    def done(self) -> int:
        return self.wanted() - len(self.left())

    def seconds(self) -> float:
        return attacks.SECONDS

    def step(self) -> str:
        left = self.left()
        time = left[0][0]
        entries = [entry for each, entry in left if each == time][: attacks.PER_ROUND]
        study = self.study
        rows = attacks.judge(study.assay, study.folder("attacks"), entries, time, quick=study.few)
        study.journal.add(rows)
        return ", ".join(f"{row['name']} {row['outcome'] or row['verdict']}" for row in rows)


class OthersPart(Part):
    """Other tools, on pairs of native kernels."""

    name = "others"

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        self.by_name = {cell.name: cell for cell in study.cells}
        self.tools: Tools | None = None

    def left(self) -> list[tuple[str, int, str]]:
        """Cell, pair, tool: all tools take turns, so that they see the same machine."""
        done = {
            (name, row["pair"], tool)
            for name in OTHER_PAIRS
            for tool in TOOLS
            for row in other_rows(self.study.journal, tool, self.by_name[name])
        }
        pairs = {name: self.pairs(count) for name, count in OTHER_PAIRS.items()}
        most = max(pairs.values())
        wanted = [
            (name, pair, tool)
            for pair in range(most)
            for name in OTHER_PAIRS
            if pair < pairs[name]
            for tool in TOOLS
        ]
        return [each for each in wanted if each not in done]

    def pairs(self, count: int) -> int:
        return 1 if self.study.few else max(1, math.ceil(count * self.study.share))

    def wanted(self) -> int:
        return sum(map(self.pairs, OTHER_PAIRS.values())) * len(TOOLS)

    def done(self) -> int:
        return self.wanted() - len(self.left())

    def time_given(self, name: str) -> float:
        return 0.5 if self.study.few else self.study.seconds(self.by_name[name])

    def seconds(self) -> float:
        return self.time_given(SAME) + START_SECONDS

    def step(self) -> str:
        if self.tools is None:
            self.tools = Tools(self.study.place / "tools")
        name, pair, tool = self.left()[0]
        cell, seconds = self.by_name[name], self.time_given(name)
        row = self.tools.compare(tool, cell, pair, self.study.seed, seconds)
        self.study.journal.add([row])
        return f"{name} {pair}, {tool}: {len(row['wall'])} times"


def parts_of(study: Study, entries: list[Entry]) -> list[Part]:
    """In the order in which they are done: first what stands side by side, and attacks."""
    cells = [CellPart(study, cell) for cell in study.cells]
    beside = [part for part in cells if part.name in OTHER_PAIRS]
    rest = [part for part in cells if part.name not in OTHER_PAIRS]
    return [*beside, OthersPart(study), AttacksPart(study, entries), *rest]
