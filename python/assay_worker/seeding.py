"""The random numbers of a problem: drawn alike by every job that builds it.

A program has values in it that were drawn while its model was built, `random.choice(widths)`, and
an archive of weights has the others: both jobs seed at the same places, or they are of two models.
"""

import random

import numpy
import torch

from assay_worker.protocol import Message, ProtocolError


def seed_of(job: Message) -> int:
    """The job's field "seed". Raises ProtocolError where it is none."""
    seed = job.get("seed")
    if type(seed) is not int or not 0 <= seed < 1 << 32:
        raise ProtocolError(f"the seed {seed!r}: an integer of 32 bits, from 0")
    return seed


def seed_all(seed: int) -> None:
    """Seeds all that a problem may draw from on the CPU.

    To be called before the file is loaded, and then, as KernelBench does, before each of
    get_init_inputs(), Model(...) and get_inputs().
    """
    random.seed(seed)
    numpy.random.seed(seed)
    # Not torch.manual_seed: it asks every other backend as well, which takes 3 ms a worker.
    torch.default_generator.manual_seed(seed)
