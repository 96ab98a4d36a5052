"""What a study came to: figures, tables in Markdown, and what does not hold."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

from harness.binomial import upper_bound
from harness.entries import Entry

from study.attacks import fingerprint, is_deceived
from study.cells import Cell, Tally, tally
from study.journal import Comparison, Rows
from study.others import RULES, SHOWN, THRESHOLDS, says_faster
from study.published import part_of

DEAD_BAND = 1.01  # as in the outcome `faster`: src/measure/interval.h
SAME, DIFFERENT = "native-1ms-same", "native-1ms-5-percent"  # that other tools are given, too


def percent(rate: float) -> str:
    text = f"{100 * rate:.1f}"
    return text.removesuffix(".0") + " %"


def median_of(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def outcomes(comparisons: list[Comparison]) -> dict[str, int]:
    return dict(
        Counter(
            f"{each.outcome or 'not timed'}{': ' + each.reason if each.reason else ''}"
            for each in comparisons
        )
    )


def found_if_moved(comparisons: list[Comparison], percent: int) -> int:
    """How many intervals would be a difference if one side took so much longer at each call.

    For what cannot be given more work by a known amount. Of comparisons without a difference.
    """
    moved = 1 + percent / 100
    return sum(each.low is not None and each.low * moved > DEAD_BAND for each in comparisons)


def cell_record(counted: Tally, comparisons: list[Comparison]) -> dict[str, Any]:
    """Ratios are of the less work to the more: for a difference of 5 %, 1.05 is the truth."""
    cell = counted.cell
    ratios = [
        1 / each.ratio if each.expected == "slower" else each.ratio
        for each in comparisons
        if each.ratio
    ]
    return {
        "kind": cell.kind.name,
        "percent": cell.percent,
        "disturbance": cell.disturbance or None,
        "comparisons": counted.tries,
        "of": cell.comparisons,
        "counted": counted.hits,
        # Comparisons of a round share a baseline, so they are not independent of each other.
        "rounds": len({each.round for each in comparisons}),
        "rounds_counted": len({each.round for each in comparisons if cell.is_hit(each)}),
        "bound_95": counted.bound(0.95),
        "bound_99": counted.bound(0.99),
        "wrong_way": counted.wrong_way,
        "not_timed": counted.not_timed,
        "outcomes": outcomes(comparisons),
        "ratio_median": median_of(ratios),
        "ratio_least": min(ratios, default=None),
        "ratio_most": max(ratios, default=None),
        "interval_width_median": median_of(
            math.log(each.high / each.low) for each in comparisons if each.high and each.low
        ),
        "found_if_moved": {
            str(percent): found_if_moved(comparisons, percent)
            for percent in (2, 5)
            if not cell.percent and not cell.disturbance
        },
        "launches_median": median_of(each.launches for each in comparisons),
        "seconds_mean": statistics.fmean(each.seconds for each in comparisons),
    }


WORDS = {
    "hog": ", a hog at nice 19 on each core",
    "readers": ", 50 readers of the run's page",
    "ramp": ", a load on each core that grows",
    "stalls": ", stalls of random sides",
    "one_sided": ", stalls of the baseline alone",
    "one_sided_short": ", short stalls of the baseline alone",
}


def what_is_counted(cell: Cell) -> str:
    if cell.least is None:
        return "faster or slower"
    return f"found, {cell.percent} %" if cell.percent else "undecided: clocks or interference"


def cells_table(tallies: list[Tally]) -> list[str]:
    lines = [
        "| what is compared | counted | of | rate | 95 % sure | 99 % sure |",
        "|---|---|---|---|---|---|",
    ]
    for each in tallies:
        if each.rate is None:
            continue
        cell = each.cell
        difference = f"a true {cell.percent} %" if cell.percent else "no difference"
        side = "at most" if cell.least is None else "at least"
        # A judge that never decides has no false differences either.
        equal = f"; equal: {each.equal}" if cell.least is None else ""
        lines.append(
            f"| {cell.kind.what}; {difference}{WORDS.get(cell.disturbance, '')} "
            f"| {what_is_counted(cell)}: {each.hits}{equal} | {each.tries} | {percent(each.rate)} "
            f"| {side} {percent(each.bound(0.95))} | {side} {percent(each.bound(0.99))} |"
        )
    return lines if len(lines) > 2 else ["Of comparisons none has been made yet."]


def moved_sentence(cell: Cell, comparisons: list[Comparison]) -> str:
    found = " and ".join(f"{found_if_moved(comparisons, each)} by {each} %" for each in (5, 2))
    return (
        f"Of {len(comparisons)} intervals of {cell.kind.what.partition(',')[0]}, moved by a "
        f"difference, {found} would be found."
    )


# --- side by side ---


def other_rows(rows: Rows, tool: str, cell: Cell) -> list[dict[str, Any]]:
    return [
        row
        for row in rows.of("other")
        if (row["tool"], row["cell"], row["made_of"]) == (tool, cell.name, cell.kind.fingerprint)
    ]


def others_record(rows: Rows, same: Cell, different: Cell) -> dict[str, Any]:
    """By rule and threshold: who says `faster` of what is the same, and misses what is not."""
    record: dict[str, Any] = {}
    for rule, (tool, _, _) in RULES.items():
        alike = other_rows(rows, tool, same)
        unlike = other_rows(rows, tool, different)
        if alike or unlike:
            record[rule] = {
                "same": len(alike),
                "different": len(unlike),
                "false_faster": {f"{t:.2f}": says_faster(rule, alike, t) for t in THRESHOLDS},
                "missed": {
                    f"{t:.2f}": len(unlike) - says_faster(rule, unlike, t) for t in THRESHOLDS
                },
            }
    return record


def others_table(record: dict[str, Any], same: Tally, different: Tally) -> list[str]:
    if not record:
        return []
    lines = [
        f"| who, in the same time; `faster` is a ratio above {SHOWN}; of the U test, any above 1 "
        "that it finds | says `faster` of what is the same | misses a true 5 % |",
        "|---|---|---|",
        f"| assay, its own outcome | {same.hits} of {same.tries} (or `slower`) "
        f"| {different.tries - different.hits} of {different.tries} |",
    ]
    for rule, row in record.items():
        threshold = f"{1.0 if 'U test' in rule else SHOWN:.2f}"
        lines.append(
            f"| {rule} | {row['false_faster'][threshold]} of {row['same']} "
            f"| {row['missed'][threshold]} of {row['different']} |"
        )
    return lines


# --- attacks ---


def attacks_record(rows: Rows, entries: list[Entry]) -> dict[str, Any]:
    known = {entry.name: entry for entry in entries}
    judged = [
        row
        for row in rows.of("attack")
        if row["name"] in known and fingerprint(known[row["name"]]) == row["made_of"]
    ]
    tried = [row for row in judged if not known[row["name"]].faster]
    deceived = sorted({row["name"] for row in tried if is_deceived(known[row["name"]], row)})
    return {
        "attacks": len({row["name"] for row in tried}),
        "tries": len(tried),
        "faster": sum(is_deceived(known[row["name"]], row) for row in tried),
        "by": deceived,
        "misjudged": sorted(
            {row["name"] for row in judged if row["verdict"] != known[row["name"]].verdict}
        ),
        "ends": dict(Counter(f"{row['verdict']}: {row['outcome']}" for row in tried)),
        "faster_indeed": sorted({row["name"] for row in judged} - {row["name"] for row in tried}),
    }


def ends_sentence(ends: dict[str, int]) -> str:
    """Where tries ended: most never come to a clock."""
    timed = {end.split(": ")[1]: n for end, n in ends.items() if end.startswith("accepted: ")}
    others = sum(ends.values()) - sum(timed.values())
    said = ", ".join(f"{n} `{outcome}`" for outcome, n in sorted(timed.items()))
    return f"{others} were refused before, or failed; of those that were timed, {said}."


# --- all of it ---


def made(rows: Rows) -> list[dict[str, Any]]:
    """By which assay on which machine, when, and what of it: a study may be made in parts."""
    parts: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows.rows:
        by = parts.setdefault((row["assay"], row["machine"]), {"dates": set(), "parts": set()})
        by["dates"].add(row["date"])
        by["parts"].add(part_of(row))
    return [
        {"assay": assay, "machine": machine, **{key: sorted(found[key]) for key in found}}
        for (assay, machine), found in sorted(parts.items())
    ]


def made_sentences(record: list[dict[str, Any]]) -> list[str]:
    lines = []
    for each in record:
        what = "All" if len(record) == 1 else ", ".join(f"`{part}`" for part in each["parts"])
        first, last = each["dates"][0], each["dates"][-1]
        when = first if first == last else f"{first} to {last}"
        lines += ["", f"{what}: {each['machine']}, {when}, by the assay `{each['assay']}`."]
    return lines


def results(rows: Rows, cells: list[Cell], attacks: list[Entry]) -> dict[str, Any]:
    """What result_file.write() takes, and `does_not_hold`: sentences."""
    of = {cell.name: rows.comparisons(cell.name, cell.kind.fingerprint) for cell in cells}
    tallies = {cell.name: tally(cell, of[cell.name]) for cell in cells}
    by_name = {cell.name: cell for cell in cells}
    side_by_side = others_record(rows, by_name[SAME], by_name[DIFFERENT])
    attacked = attacks_record(rows, attacks)
    lines = cells_table(list(tallies.values()))
    for cell in cells:
        if cell.kind.author == "iree" and of[cell.name]:
            lines += ["", moved_sentence(cell, of[cell.name])]
    figures: dict[str, float] = {}
    for each in tallies.values():
        if each.tries:
            figures[f"timing_{each.cell.key}"] = each.tries
            figures[f"timing_{each.cell.key}_counted"] = each.hits
    if side_by_side:
        lines += ["", *others_table(side_by_side, tallies[SAME], tallies[DIFFERENT])]
    if attacked["tries"]:
        bound = upper_bound(attacked["faster"], attacked["tries"], 0.95)
        figures["timing_attacks"] = attacked["tries"]
        figures["timing_attacks_faster"] = attacked["faster"]
        lines += [
            "",
            f"Of {attacked['attacks']} attacks on the clock, tried {attacked['tries']} times, "
            f"{attacked['faster']} came out as `faster` (were tries of one attack independent, "
            f"95 % sure: at most {percent(bound)}). {ends_sentence(attacked['ends'])}",
        ]
    return {
        "figures": figures,
        "cells": {name: cell_record(tallies[name], of[name]) for name in of if tallies[name].tries},
        "others": side_by_side,
        "attacks": attacked,
        "made": made(rows),
        "markdown": [*lines, *made_sentences(made(rows))],
        "does_not_hold": [*complaints(tallies.values()), *attack_complaints(attacked)],
    }


def complaints(tallies: Iterable[Tally]) -> list[str]:
    found = []
    for each in tallies:
        if each.holds:
            continue
        goal = (
            f"at most {percent(each.cell.most)}"
            if each.cell.most is not None
            else f"at least {percent(each.cell.least or 0)}"
        )
        found.append(
            f"{each.cell.name}: {each.hits} of {each.tries}, where {goal} are asked for; "
            f"{each.wrong_way} on the wrong side, {each.not_timed} not timed"
        )
    return found


def attack_complaints(record: dict[str, Any]) -> list[str]:
    return [
        *(f"attacks: {name} came out as faster" for name in record["by"]),
        *(f"attacks: {name} has another verdict than it must have" for name in record["misjudged"]),
    ]
