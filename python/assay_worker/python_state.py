"""What a call of `forward` leaves behind in plain Python: in attributes, lists, globals.

What is looked at is what can be reached from the model and its file: see python_places. The values
of parameters and buffers are not: torch follows those, and a program carries them.
"""

import random
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy
from torch import nn

from assay_worker.python_places import Items, Place, inside, places, same

# Beyond, nothing is looked at: what is as large is a table, and no state.
MAX_PLACES = 10_000

_LEAVES = frozenset((int, float, complex, bool, str, bytes, type(None)))
# Those of the functions `random.random`, `numpy.random.rand` and so on.
_GENERATORS = (("random", random._inst), ("numpy.random", numpy.random.mtrand._rand))


class Snapshot:
    """The values that a model, its modules and its file hold at one time."""

    def __init__(self, model: nn.Module) -> None:
        self._held = list(_reached(model))

    def changed(self) -> set[str]:
        """Names of what is another value now, such as `self.count`, `self.seen` or `random`."""
        return {name for place, before in self._held for name in _differing(place, before)}

    def restore(self) -> set[str]:
        """Puts everything back; returns the names of what is changed and can't be."""
        lost: set[str] = set()
        for place, before in self._held:
            names = _differing(place, before)
            if names and place.write:
                place.write(before)
            elif names:
                lost.update(names)
        return lost


def _reached(model: nn.Module) -> Iterator[tuple[Place, Items]]:
    """Each place once, with what it holds."""
    file = type(model).__module__
    waiting: deque[tuple[str, Any]] = deque([("self", model), ("", sys.modules.get(file))])
    waiting.extend(_GENERATORS)
    seen: dict[int, Any] = {}  # the values too, so that no other gets the same id
    while waiting and len(seen) < MAX_PLACES:
        name, value = waiting.popleft()
        if id(value) in seen or type(value) in _LEAVES:
            continue
        seen[id(value)] = value
        for place in places(name, value, file):
            items = place.read()
            yield place, items
            if not place.is_whole:
                for key, item in items.items():
                    if type(item) not in _LEAVES:
                        waiting.append((place.name_of(key), item))
        waiting.extend(inside(name, value, file))


def _differing(place: Place, before: Items) -> list[str]:
    now = place.read()
    names = [
        place.name_of(key)
        for key in {**before, **now}
        if key not in before or key not in now or not same(before[key], now[key])
    ]
    if not names and place.is_ordered and not all(map(same, before, now)):
        return [place.name]
    return names
