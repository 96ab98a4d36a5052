"""Exact bounds on a rate that was seen in so many tries (Clopper and Pearson, 1934).

One-sided: the true rate lies above the upper bound with a probability of at most 1 - confidence,
whatever it is.
"""

import math

STEPS = 60  # of halving [0, 1]: the bound is exact to the last bit of a float


def at_most(hits: int, tries: int, rate: float) -> float:
    """The probability of no more than so many hits."""
    if rate <= 0:
        return 1.0
    if rate >= 1:
        return 1.0 if hits >= tries else 0.0
    log_choose = math.lgamma(tries + 1)
    terms = (
        log_choose
        - math.lgamma(k + 1)
        - math.lgamma(tries - k + 1)
        + k * math.log(rate)
        + (tries - k) * math.log1p(-rate)
        for k in range(hits + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def upper_bound(hits: int, tries: int, confidence: float) -> float:
    """The largest rate at which so few hits are not yet too unlikely. Without tries it is 1."""
    if not 0 <= hits <= tries:
        raise ValueError(f"{hits} hits of {tries}")
    if hits == tries:
        return 1.0
    low, high = hits / tries, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if at_most(hits, tries, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def lower_bound(hits: int, tries: int, confidence: float) -> float:
    """The smallest rate at which so many hits are not yet too unlikely. Without tries it is 0."""
    return 1 - upper_bound(tries - hits, tries, confidence)
