"""Makes a problem smaller: other numbers in place of the sizes that stand at the top of its file.

Which of them are sizes, and which go together, nobody says; so each change is tried out with fake
tensors, and is kept if the problem still works and takes less.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from assay_worker.described import describe
from assay_worker.failure import Failed, Unsupported
from assay_worker.protocol import Message
from assay_worker.quiet import without_complaints
from assay_worker.settings import Settings, constants_of

# How small a size may become: few are made tiny only when all being small is not enough.
FLOORS = (61, 17, 5, 3, 1)
MAX_TRIES = 50  # with the state kept, and as many without
# A change that saves less is none of a size.
_WORTHWHILE = 0.95


def shrink(settings: Settings, target_bytes: int) -> Message:
    """{"constants": {name: number}, "bytes", "keeps_state": bool}: what to ask for, and its size.

    Inputs, state and outputs together take at most `target_bytes`, or as little as was found. What
    leaves the state and the constructor's arguments alone is made smaller first, "keeps_state".
    Odd sizes, prime where that works, come first: they do not fit a kernel's blocks. Raises Failed
    or Unsupported where the problem can't even be described as it is.
    """
    with without_complaints():
        search = _Search(replace(settings, constants={}), target_bytes)
        for keeps_state in (True, False):
            for reduce in (search.reduce, search.reduce_together):
                for floor in FLOORS:
                    reduce(floor, keeps_state)
    return {
        "constants": search.constants,
        "bytes": search.bytes,
        "keeps_state": search.keeps_state,
    }


class _Search:
    def __init__(self, settings: Settings, target_bytes: int) -> None:
        self._settings, self._target = settings, target_bytes
        self._file = {name: value for name, value, _ in constants_of(settings.source)}
        self._tries: Counter[tuple[bool, bool]] = Counter()  # by keeps_state, and of several
        self._of_state: set[str] = set()  # numbers that the state depends on
        self.constants: dict[str, int] = {}
        self._first = self._now = _size(settings)

    def reduce(self, floor: int, keeps_state: bool) -> None:
        """Makes each number smaller, the largest first, but none smaller than `floor`."""
        values = self._file | self.constants
        for name in sorted(values, key=lambda each: -values[each]):
            if not (keeps_state and name in self._of_state):
                self._reduce({name: 1}, values[name], floor, keeps_state)

    def reduce_together(self, floor: int, keeps_state: bool) -> None:
        """Makes several smaller at once, by the same factor: they may have to go together."""
        values = self._file | self.constants
        for names in _together(values, floor):
            least = min(values[name] for name in names)
            self._reduce({name: values[name] // least for name in names}, least, floor, keeps_state)

    def _reduce(self, times: dict[str, int], value: int, floor: int, keeps_state: bool) -> None:
        """Finds a smaller `value`, of which each of the numbers is a multiple."""
        count = (keeps_state, len(times) > 1)
        factor = self._target / max(self.bytes, 1)
        # What takes as much as the product of all of them needs less of each.
        of_each = _smaller(value, factor ** (1 / len(times)), floor)
        for smaller in dict.fromkeys([*of_each, *_smaller(value, factor, floor)]):
            if self.bytes <= self._target or self._tries[count] >= MAX_TRIES:
                return
            if keeps_state and not self._of_state.isdisjoint(times):
                return
            self._tries[count] += 1
            if self._try({name: smaller * each for name, each in times.items()}, keeps_state):
                return

    def _try(self, changed: dict[str, int], keeps_state: bool) -> bool:
        constants = self.constants | changed
        try:
            size = _size(replace(self._settings, constants=constants))
        except (Failed, Unsupported):
            return False
        if keeps_state and size.state != self._first.state:
            if len(changed) == 1:
                self._of_state.update(changed)
            return False
        if size.bytes > self.bytes * _WORTHWHILE or size.empty != self._first.empty:
            return False
        self.constants, self._now = constants, size
        return True

    @property
    def bytes(self) -> int:
        """Of inputs, state and outputs, with the constants found so far."""
        return self._now.bytes

    @property
    def keeps_state(self) -> bool:
        """Whether the state is the file's own."""
        return bool(self._now.state == self._first.state)


@dataclass(frozen=True)
class _Size:
    bytes: int
    state: Any  # its names and shapes, and the constructor's arguments
    empty: list[bool]  # whether each of inputs and outputs has no element


def _size(settings: Settings) -> _Size:
    found = describe(settings, real_bytes=0).message
    empty = [0 in leaf.get("shape", ()) for leaf in found["inputs"] + found["outputs"]]
    size = found["bytes"]
    total = size["inputs"] + size["state"] + size["outputs"]
    return _Size(total, [found["state"], found["init_tree"]], empty)


def _together(values: dict[str, int], floor: int) -> Iterator[list[str]]:
    """Names of numbers that may have to change by one factor: equal ones, all, multiples."""
    names = sorted((name for name in values if values[name] > floor), key=lambda each: values[each])
    by_value = itertools.groupby(names, key=lambda each: values[each])
    equal = [list(group) for _, group in by_value]
    yield from (group for group in reversed(equal) if len(group) > 1)
    pairs = (
        [small, large]
        for large in reversed(names)
        for small in names
        if values[small] < values[large]
    )
    for group in (names, *pairs):
        if len(group) > 1 and all(values[each] % values[group[0]] == 0 for each in group):
            yield group


def _smaller(value: int, factor: float, floor: int) -> Iterator[int]:
    """Numbers to try, from about factor * value on: a prime, then what keeps divisors of it."""
    wanted = max(int(value * factor), floor)
    if wanted >= value:
        return
    prime = wanted
    while prime > 2 and any(prime % n == 0 for n in range(2, math.isqrt(prime) + 1)):
        prime -= 1
    yield prime
    # A divisor of it, which heads, groups and strides may ask for.
    divisors = (n for n in range(wanted, value) if value % n == 0 and n > 1)
    yield next(divisors, value // 2)
