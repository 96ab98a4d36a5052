"""What can be said of a study without looking at a time: that its machinery does what it says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.entries import Entry

from study.loops import loop_of
from study.others import RULES, says_faster
from study.parts import Study
from study.results import results

VARIANTS = 4  # of each native kernel, with and without more work


def faults_of_machinery(study: Study, entries: list[Entry]) -> tuple[int, list[str]]:
    """How much was as it must be, and what was not. A time, or an outcome, is never a fault."""
    findings = [*of_comparisons(study), *of_attacks(study, entries), *of_others(study)]
    findings += [*of_loops(study), *of_results(study, entries)]
    return findings.count(""), [each for each in findings if each]


def of_comparisons(study: Study) -> Iterator[str]:
    for cell in study.cells:
        for each in study.journal.comparisons(cell.name, cell.kind.fingerprint):
            what = f"{each.cell}, candidate {each.candidate}"
            if each.outcome == "":
                yield f"{what} was not timed: {each.reason}"
            elif each.ratio is None or each.launches is None:
                yield f"{what} has no ratio, or no launches"
            else:
                yield ""


def of_attacks(study: Study, entries: list[Entry]) -> Iterator[str]:
    expected = {entry.name: entry for entry in entries}
    for row in study.journal.of("attack"):
        verdict = expected[row["name"]].verdict
        got = row["verdict"]
        yield "" if got == verdict else f"{row['name']}: expected {verdict}, got {got}"


def of_others(study: Study) -> Iterator[str]:
    for rule, (tool, clock, _) in RULES.items():
        rows = [row for row in study.journal.of("other") if row["tool"] == tool]
        times = [seconds for row in rows for pair in row[clock] for seconds in pair]
        if not rows or min(times) <= 0 or says_faster(rule, rows, 1e9):
            yield f"{rule}: its times are none: {rows}"
        else:
            yield ""


def of_loops(study: Study) -> Iterator[str]:
    """That variants differ in nothing that matters: the function that works has the same code."""
    kinds = {cell.kind.name: cell.kind for cell in study.cells if cell.kind.language == "c"}
    with tempfile.TemporaryDirectory() as name:
        for kind in kinds.values():
            own = loop_of(kind, kind.variant("0"), Path(name))
            texts = set()
            for n in range(1, VARIANTS + 1):
                for percent in (0, 2, 5):
                    variant = kind.variant(str(n), percent)
                    texts.add(variant.text)
                    same = loop_of(kind, variant, Path(name)) == own
                    yield "" if same else f"{kind.name}: variant {n}, {percent} % has other loops"
            yield "" if len(texts) == 3 * VARIANTS else f"{kind.name}: variants are alike"


def of_results(study: Study, entries: list[Entry]) -> Iterator[str]:
    found = results(study.journal, study.cells, entries)
    yield "" if found["markdown"] and found["cells"] and found["others"] else "there are no results"
