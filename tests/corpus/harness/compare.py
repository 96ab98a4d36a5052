"""Says by which rule one window's result is rejected: shape, dtype, masks, then the error ratio."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any  # of numpy, which mypy does not read here
PASSES, REDUCED = 16.0, 8.0
# A relative error that rounding to bf16 inside can explain; what is beyond it is wrong.
PRECISION_AT_MOST = 2.0**-6


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0


def compare(
    got: Array, exact: Array, eager: Array, small: bool = False, close: bool = False
) -> tuple[str, float]:
    """The rule that is broken, or "", and the error ratio: the worse of rms and largest.

    `small`: elements that are small beside others are to be right, too. `close`: half precision,
    whose sums are kept in more, is held to an eighth, and is off to both sides.
    """
    if got.shape != eager.shape:
        return "shape", 0.0
    if got.dtype != eager.dtype:
        return "dtype", 0.0
    if not np.issubdtype(eager.dtype, np.floating):
        return ("", 0.0) if np.array_equal(got, exact) else ("wrong", float("inf"))

    rounded = exact.astype(eager.dtype)
    # Where eager itself overflows and double does not, nothing is asked.
    decided = mask(eager) == mask(rounded)
    if np.any((mask(got) != mask(rounded)) & decided):
        return "non-finite", float("inf")
    at = decided & np.isfinite(rounded) & np.isfinite(got)
    g, b = got[at].astype(np.float64), eager[at].astype(np.float64)
    x = exact[at].astype(np.float64)
    if not g.size:
        return "", 0.0
    unit = float(np.finfo(eager.dtype).eps) / 2
    least = float(np.finfo(eager.dtype).smallest_subnormal)
    error_rms, error_max = rms(g - x), float(np.max(np.abs(g - x)))
    floor_rms = max(rms(b - x), unit * rms(x), least)
    floor_max = max(float(np.max(np.abs(b - x))), unit * float(np.max(np.abs(x))), least)
    ratio = max(error_rms / floor_rms, error_max / floor_max)
    if close and eager.dtype == np.float16:
        floor_rms = max(rms(b - x), 0.8 * unit * rms(x), least)
        ratio = max(8 * error_rms / floor_rms, 8 / 3 * error_max / floor_max)
        if ratio <= PASSES and one_sided(g, x) > 7 / 8 and one_sided(b, x) <= 3 / 4:
            return "precision", ratio
    if ratio <= PASSES:
        lost = small and loses_small(g, b, x, unit, float(np.finfo(eager.dtype).tiny))
        return "precision" if lost else "", ratio
    size = max(rms(x), least)
    return ("precision" if error_rms <= PRECISION_AT_MOST * size else "wrong"), ratio


def one_sided(values: Array, exact: Array) -> float:
    """The part of what is off that is so to one side. 0 where that are few."""
    error = values - exact
    off = error != 0
    count = int(np.sum(off))
    if count < 1024:
        return 0.0
    inward, up = int(np.sum(error * exact < 0)), int(np.sum(error > 0))
    return max(inward, count - inward, up, count - up) / count


def loses_small(got: Array, eager: Array, exact: Array, unit: float, normal: float) -> bool:
    """Whether far more elements than eager's are off by a good part of themselves."""
    size = np.abs(exact)
    part = max(1 / 32, 32 * unit)

    def off(values: Array) -> int:
        return int(np.sum((size >= normal) & (np.abs(values - exact) > part * size)))

    return off(got) > 32 * off(eager) + 16 + int(got.size) // 16384


def mask(values: Array) -> Array:
    """0 finite, 1 NaN, 2 +inf, 3 -inf."""
    return np.select([np.isnan(values), np.isposinf(values), np.isneginf(values)], [1, 2, 3], 0)
