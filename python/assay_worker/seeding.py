"""The random numbers of a problem: drawn alike by every job that builds it.

A program has values in it that were drawn while its model was built, `random.choice(widths)`, and
an archive of weights has the others: both jobs seed at the same places, or they are of two models.
"""

import random
from typing import Any

import numpy
import torch
from numpy.random import bit_generator

from assay_worker.protocol import Message, ProtocolError

# Where a generator without a seed gets one: in place of the operating system.
_entropy = random.Random(0)


def seed_the_unseeded() -> None:
    """From now on, `random.Random()` and `numpy.random.default_rng()` follow from seed_all() too.

    Whoever leaves out a seed takes any: in a program, it has to be the same in every run.
    """
    original = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, _entropy.getrandbits(64) if a is None else a, version)

    random.Random.seed = seed  # type: ignore[method-assign]
    random.seed = random._inst.seed
    # What all of numpy's generators ask for entropy.
    bit_generator.randbits = _entropy.getrandbits


def seed_of(job: Message) -> int:
    """The job's field "seed". Raises ProtocolError where it is none."""
    seed = job.get("seed")
    if type(seed) is not int or not 0 <= seed < 1 << 32:
        raise ProtocolError(f"the seed {seed!r}: an integer of 32 bits, from 0")
    return seed


def trial_seed(seed: int, number: int) -> int:
    """The n-th seed that torch draws under this one, from 0: others take those of trials so."""
    torch.default_generator.manual_seed(seed)
    return [int(torch.randint(0, 2**32 - 1, (1,)).item()) for _ in range(number + 1)][-1]


def seed_all(seed: int) -> None:
    """Seeds all that a problem may draw from on the CPU.

    To be called before the file is loaded, and then, as KernelBench does, before each of
    get_init_inputs(), Model(...) and get_inputs().
    """
    _entropy.seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)
    # Not torch.manual_seed: it asks every other backend as well, which takes 3 ms a worker.
    torch.default_generator.manual_seed(seed)
