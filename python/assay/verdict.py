"""What assay says of one candidate."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

PASSED = ("accepted", "compiled")
NO_SUCCESS = frozenset({"library", "fallback"})


@dataclass(frozen=True)
class Verdict:
    """What assay says of one candidate.

    ok           nothing was found wrong with it: it was verified, or compiled where it cannot run
    outcome      in a word: "faster", "equal", "slower" or "undecided" of what is right and was
                 timed, "correct" of what is right and was not; else the verdict, as "rejected",
                 "failed", "not_judged" or "compiled"
    speedup_low  the lower end of the interval: at least so many times as fast as the first
                 baseline; None: it was not timed, or cannot be said
    provisional  that is of too few launches to rely on: quick=True
    why          in a line: why it did not pass, or why it is undecided; else ""
    fault        whose doing it is that it did not pass: "candidate", "problem", "machine" or
                 "assay"; None: it passed
    detail       what the compiler printed, or a traceback; may be long, or ""
    labels       what was found and decides nothing, as "library": torch computes it
    record       all that assay said, as docs/formats.md has it
    """

    ok: bool
    outcome: str
    speedup_low: float | None
    provisional: bool
    why: str
    fault: str | None
    detail: str
    labels: tuple[str, ...]
    record: Mapping[str, Any] = field(repr=False, compare=False)

    def reward(
        self,
        *,
        failed: float = 0.0,
        wrong: float = 0.0,
        compiled: float = 0.1,
        right: float = 0.3,
        unjudged: float = 0.0,
        most: float = 16.0,
        allow: Collection[str] = (),
    ) -> float:
        """A number for a training loop.

        failed      it does not build, raises, crashes or takes too long
        wrong       it breaks a rule; or torch computes its result (labels "library" and
                    "fallback"), unless each label that it has is in `allow`
        compiled    it builds, for a device that is not here
        right       it is right. Where it was timed, log2(1 + speedup_low) is added: 1 at the
                    baseline's speed, 2 at three times that. Faster than `most` is as `most`
        unjudged    fault of the machine, of assay or of the problem. Never below 0, as it is not
                    the candidate's. math.nan leaves it out, where the loop takes that

        Noise: the same kernel judged again has another reward, as its speed is measured again.
        Where launches differ, the lower end is lower: luck costs a kernel something, and wins it
        little. On a busy machine the standard deviation was 0.1 to 0.2 with quick=True
        (docs/manual.md#rewards).
        """
        if isinstance(allow, str):
            raise TypeError(f'allow takes several labels: allow=["{allow}"]')
        if unknown := set(allow).difference(NO_SUCCESS):
            known = ", ".join(sorted(NO_SUCCESS))
            raise ValueError(f"allow has {', '.join(sorted(unknown))}, and can have {known}")
        if unjudged < 0:
            raise ValueError("unjudged is below 0, and what it is for is not the candidate's doing")
        if self.fault not in (None, "candidate"):
            return unjudged
        if not self.ok:
            return wrong if self.outcome == "rejected" else failed
        if self.outcome == "compiled":
            return compiled
        if NO_SUCCESS.intersection(self.labels).difference(allow):
            return wrong
        if self.speedup_low is None:
            return right
        return right + math.log2(1 + min(self.speedup_low, most))


def verdict_of(record: Mapping[str, Any]) -> Verdict:
    """Of a line that `assay serve` wrote."""
    timing = record["timing"] or {}
    speedups = timing.get("speedups") or []
    # A rule, a class of failure, or for want of what; and the line that says so with figures.
    said = [text for text in (record["reason"] or record["class"], record["error"]) if text]
    return Verdict(
        ok=record["verdict"] in PASSED,
        outcome=record["outcome"] or record["verdict"],
        speedup_low=speedups[0]["low"] if speedups else None,
        provisional=timing.get("provisional", False),
        why=": ".join(said),
        fault=record["fault"],
        detail=detail_of(record["stages"]),
        labels=labels_of(record["stages"], timing),
        record=record,
    )


def detail_of(stages: list[dict[str, Any]]) -> str:
    """Of the last stage, which is the one that decided."""
    return next((stage["detail"] for stage in reversed(stages) if stage["detail"]), "")


def labels_of(stages: list[dict[str, Any]], timing: Mapping[str, Any]) -> tuple[str, ...]:
    """Where it was not timed, what one more call was seen to have torch do says the same."""
    said = [*timing.get("labels", [])]
    for stage in stages:
        evidence = stage["evidence"] or {}
        said += evidence.get("labels", [])
        watched = evidence.get("watched") or {}
        if watched.get("operations"):
            said += ["library", "fallback"] if watched.get("hidden") else ["library"]
    return tuple(dict.fromkeys(said))
