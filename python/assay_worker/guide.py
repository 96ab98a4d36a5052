"""Says which configurations `assay tune` tries next: optuna's ask and tell, over lines of JSON.

First some by chance, then what differs in one step of one knob from the two that were fastest, and
what optuna's sampler proposes where all of that is known. A space has few values of each knob, and
a search tries few of its points: too few for a sampler to learn what a step says at once.

Run as a program of its own, in which nothing of a problem runs. It answers each request with one
line, over its standard input, which is a socket:

    {"points": [{"family": "tiles", "knobs": [["dm", "16"], ...]}, ...], "seed": 1}
                        the whole space -> {"ok": true}
    {"ask": 8}          -> {"points": [17, ...]}: up to so many that nobody was told of
    {"tell": 17, "ns": 41.5}    what came of one; null: it failed -> {"ok": true}
"""

from __future__ import annotations

import json
import math
import random
import socket
import sys
import warnings
from typing import Any

# So many are known before the steps begin: as many as assay asks for at once.
FIRST = 8
# Of so many of the fastest the neighbours are tried.
BEST = 2
# How often optuna may propose what is no point, or is known, before any point is taken.
TRIES = 32
# A point that failed counts as so many times as slow as the slowest that did not.
FAILED = 2.0


def is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal()


class Guide:
    """One search: the study, and what is known of each point."""

    def __init__(self, points: list[dict[str, Any]], seed: int) -> None:
        import optuna

        self.optuna = optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(
            seed=seed, multivariate=True, group=True, constant_liar=True, n_startup_trials=FIRST
        )
        self.study = optuna.create_study(sampler=sampler)
        # Of each family, the knobs with their values in order: neighbours are alike.
        self.families: dict[str, dict[str, list[str]]] = {}
        for point in points:
            knobs = self.families.setdefault(point["family"], {})
            for name, value in point["knobs"]:
                values = knobs.setdefault(name, [])
                if value not in values:
                    values.append(value)
        for knobs in self.families.values():
            for values in knobs.values():
                if all(is_number(value) for value in values):
                    values.sort(key=int)
        self.parameters: list[dict[str, Any]] = []
        self.places: dict[tuple[tuple[str, Any], ...], int] = {}
        for place, point in enumerate(points):
            chosen: dict[str, Any] = {"family": point["family"]}
            for name, value in point["knobs"]:
                index = self.families[point["family"]][name].index(value)
                chosen[f"{point['family']}.{name}"] = index
            self.parameters.append(chosen)
            self.places[tuple(sorted(chosen.items()))] = place
        self.unknown = dict.fromkeys(range(len(points)))  # a set that keeps its order
        self.under_way: dict[int, Any] = {}  # trials, by point
        self.told = 0
        self.fastest: dict[int, float] = {}  # of each point that was timed
        self.worst = 1.0
        self.random = random.Random(seed)

    def _propose(self) -> tuple[Any, int | None]:
        """A trial, and its point if it is one."""
        trial = self.study.ask()
        family = trial.suggest_categorical("family", sorted(self.families))
        chosen: dict[str, Any] = {"family": family}
        for name, values in self.families[family].items():
            key = f"{family}.{name}"
            chosen[key] = trial.suggest_int(key, 0, len(values) - 1)
        return trial, self.places.get(tuple(sorted(chosen.items())))

    def _take(self, place: int) -> int:
        """As if optuna had proposed it."""
        del self.unknown[place]
        self.study.enqueue_trial(self.parameters[place])
        trial, proposed = self._propose()
        assert proposed == place
        self.under_way[place] = trial
        return place

    def _neighbours(self, place: int) -> list[int]:
        """What nobody was told of, and differs in one knob: of numbers, by one step."""
        chosen = self.parameters[place]
        found = []
        for name, values in self.families[chosen["family"]].items():
            key = f"{chosen['family']}.{name}"
            is_ordered = all(is_number(value) for value in values)
            for index in range(len(values)):
                if index == chosen[key] or (is_ordered and abs(index - chosen[key]) > 1):
                    continue
                other = self.places.get(tuple(sorted({**chosen, key: index}.items())))
                if other is not None and other in self.unknown:
                    found.append(other)
        return found

    def _step(self) -> int | None:
        if self.told < FIRST:
            return None
        for place in sorted(self.fastest, key=lambda place: self.fastest[place])[:BEST]:
            if near := self._neighbours(place):
                return self._take(self.random.choice(near))
        return None

    def _ask_one(self) -> int | None:
        if (place := self._step()) is not None:
            return place
        for _ in range(TRIES):
            trial, place = self._propose()
            if place is not None and place in self.unknown:
                del self.unknown[place]
                self.under_way[place] = trial
                return place
            self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        if not self.unknown:
            return None
        return self._take(self.random.choice(list(self.unknown)))

    def ask(self, count: int) -> list[int]:
        """Up to so many points that nobody was told of."""
        points: list[int] = []
        while len(points) < count:
            place = self._ask_one()
            if place is None:
                break
            points.append(place)
        return points

    def tell(self, place: int, ns: float | None) -> None:
        """What came of a point, asked for or not."""
        self.told += 1
        if ns is not None:
            self.worst = max(self.worst, ns)
            self.fastest[place] = ns
        value = math.log(ns if ns is not None else self.worst * FAILED)
        trial = self.under_way.pop(place, None)
        if trial is None:
            self.unknown.pop(place, None)
            self.study.enqueue_trial(self.parameters[place])
            trial, _ = self._propose()
        self.study.tell(trial, value)


def answer(guide: Guide | None, request: dict[str, Any]) -> tuple[Guide | None, dict[str, Any]]:
    if "points" in request:
        return Guide(request["points"], request["seed"]), {"ok": True}
    assert guide is not None, "the space comes first"
    if "ask" in request:
        return guide, {"points": guide.ask(request["ask"])}
    guide.tell(request["tell"], request["ns"])
    return guide, {"ok": True}


def main() -> None:
    warnings.simplefilter("ignore")
    channel = socket.socket(fileno=0)
    stream = channel.makefile("r", encoding="utf-8")

    def say(message: dict[str, Any]) -> None:
        channel.sendall((json.dumps(message) + "\n").encode())

    try:
        import optuna  # noqa: F401
    except ImportError as failure:
        say({"error": str(failure)})
        sys.exit(1)
    say({"ready": True})
    guide: Guide | None = None
    for line in stream:
        guide, message = answer(guide, json.loads(line))
        say(message)


if __name__ == "__main__":
    main()
