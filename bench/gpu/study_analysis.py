"""What the raw windows of a study come to, by the rules of the judge on CPUs and by those in use.

As in src/measure/interval.h a launch is one median over pairs, and intervals are over launches. The
minutes of a card give fewer launches than many comparisons need. So comparisons draw theirs out of
all that there are: shares then, without bounds, as draws have launches in common.
"""

import math
import random
import re
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Ratio = Callable[[Row, str], float]

HEADER = Path(__file__).resolve().parents[2] / "src" / "measure" / "interval.h"


def constant(name: str) -> str:
    """Of the judge's, so that there is no second one."""
    found = re.search(rf"{name}(?:\[\])? = (.*);", HEADER.read_text())
    if not found:
        raise LookupError(f"{HEADER} has no {name}")
    return found[1]


# Launches and ranks.
LOOKS = [
    (int(launches), int(rank))
    for launches, rank in re.findall(r"\{(\d+), (\d+)\}", constant("kLooks"))
]
DEAD_BAND = float(constant("kDeadBand"))
DRAWS = 2000
LEVELS = (1.01, 1.02)  # a reader's, of one ratio


def interval(values: Sequence[float], rank: int) -> tuple[float, float]:
    """Between the rank-th smallest and the rank-th largest."""
    ordered = sorted(values)
    return ordered[rank - 1], ordered[-rank]


def decided(low: float, high: float) -> str:
    if low > DEAD_BAND:
        return "faster"
    if high < -DEAD_BAND:
        return "slower"
    return "equal" if low > -DEAD_BAND and high < DEAD_BAND else ""


def outcome(launches: Sequence[float], looks: Sequence[tuple[int, int]] = LOOKS) -> tuple[str, int]:
    """What the first look says that says anything, and how many launches it had."""
    for count, rank in looks:
        if word := decided(*interval(launches[:count], rank)):
            return word, count
    return "undecided", looks[-1][0]


def error_of(count: int, rank: int) -> float:
    """How often a median is outside of such an interval."""
    return 2 * 0.5**count * sum(math.comb(count, below) for below in range(rank))


def with_more_looks() -> list[list[tuple[int, int]]]:
    """The judge's looks; then such as double the launches, of no larger error than its last."""
    series = [LOOKS]
    most = error_of(*LOOKS[-1])
    for _ in range(2):
        count = 2 * series[-1][-1][0]
        rank = max(each for each in range(1, count // 2) if error_of(count, each) <= most)
        series.append([*series[-1], (count, rank)])
    return series


def of_twice(ratios: Sequence[float]) -> list[Row]:
    """What looks make of launches of the same kernel twice, and were one so much slower. Launches
    are drawn with repetition, as there may be more of them than there were."""
    found = []
    for looks in with_more_looks():
        row: Row = {"looks_to": looks[-1][0], "draws": DRAWS}
        for more in (0, 2, 5):
            drawn = random.Random(1)
            words: dict[str, int] = {}
            used = []
            for _ in range(DRAWS):
                chosen = [
                    drawn.choice((-1, 1)) * math.log(drawn.choice(ratios)) - math.log1p(more / 100)
                    for _ in range(looks[-1][0])
                ]
                word, count = outcome(chosen, looks)
                words[word] = words.get(word, 0) + 1
                used.append(count)
            for word in ("faster", "slower", "equal", "undecided"):
                row[f"plus_{more}_{word}"] = round(words.get(word, 0) / DRAWS, 4)
            row[f"plus_{more}_launches"] = round(statistics.mean(used), 1)
        found.append(row)
    return found


def by_looks(ratios: dict[str, list[float]]) -> Row:
    """Of ln(time of a / time of the other): a side that does more is slower."""
    drawn = random.Random(1)
    launches = LOOKS[-1][0]
    found: Row = {"draws": DRAWS}
    for side, values in ratios.items():
        logs = [-math.log(value) for value in values]
        words: dict[str, int] = {}
        used, widths = [], []
        for _ in range(DRAWS):
            chosen = drawn.sample(logs, launches)
            if side == "a2":  # which of two that are the same is the baseline is drawn
                chosen = [one * drawn.choice((-1, 1)) for one in chosen]
            word, count = outcome(chosen)
            words[word] = words.get(word, 0) + 1
            used.append(count)
            low, high = interval(chosen, LOOKS[-1][1])
            widths.append(high - low)
        for word in ("faster", "slower", "equal", "undecided"):
            found[f"{side}_{word}"] = round(words.get(word, 0) / DRAWS, 4)
        found[f"{side}_launches"] = round(statistics.mean(used), 1)
        found[f"{side}_width"] = round(statistics.median(widths), 4)
    return found


def by_one(ratios: dict[str, list[float]]) -> Row:
    """One launch read by itself: how often a ratio is beyond a level, of so many."""
    found: Row = {}
    for level in LEVELS:
        different = sum(value > level or 1 / value > level for value in ratios["a2"])
        found[f"a2_beyond_{level}"] = different
        for side in ("b2", "b5"):
            found[f"{side}_beyond_{level}"] = sum(value > level for value in ratios[side])
    return found


def verdicts(call_us: float, rows: list[Row], clocks: dict[str, Ratio]) -> list[Row]:
    """A row for each clock and rule."""
    found = []
    for clock, ratio in clocks.items():
        ratios = {side: [ratio(row, side) for row in rows] for side in ("a2", "b2", "b5")}
        kept = {"call_us": call_us, "clock": clock, "launches": len(rows)}
        if len(rows) >= LOOKS[-1][0]:
            found.append({"row": "looks", **kept, **by_looks(ratios)})
        found.append({"row": "one_launch", **kept, **by_one(ratios)})
    return found


def error_of_pairs(row: Row, side: str) -> float:
    """Of a launch's median ratio, by the spread of its pairs; each window less an empty one."""
    empty = float(row["null_us"])
    pairs = zip(row[f"card_us_{side}"], row["card_us_a"], strict=True)
    ratios = [float((one - empty) / (first - empty)) for one, first in pairs]
    low, _, high = statistics.quantiles(ratios, n=4)
    # A median's error is 1.2533 times a mean's; quartiles of a normal are 1.349 deviations apart.
    return 1.2533 * (high - low) / 1.349 / math.sqrt(len(ratios))
